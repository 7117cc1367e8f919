const ORG = /^[a-z0-9]{8,32}$/;
const KEY_ID = /^[0-9A-Za-z]{8}$/;
const DIGEST = /^[0-9a-f]{64}$/;
const REQUEST = /^[A-Za-z0-9-]{1,80}$/;

/**
 * Names of the credits keys. The braces put them in one hash slot, so a script also runs in a cluster.
 * The parts come from our records, never from a request, and are checked anyway.
 */
export type RedisKeys = {
  readonly key: (keyId: string) => string;
  readonly org: (orgId: string) => string;
  readonly log: string;
  readonly marker: (orgId: string, request: string) => string;
  /** Pub/sub: tickers with another current brief. */
  readonly currentBriefs: string;
  /** A signed-in visitor of the account pages, by the digest of the cookie. */
  readonly session: (digest: string) => string;
  /** A form that is accepted once, by the digest of its token. */
  readonly form: (digest: string) => string;
  /** Prefix of the counters of one rate limit. */
  readonly limit: (name: string) => string;
};

export function redisKeys(tag: string): RedisKeys {
  return {
    key: (keyId) => `{${tag}}:k:${checked(KEY_ID, keyId)}`,
    org: (orgId) => `{${tag}}:o:${checked(ORG, orgId)}`,
    log: `{${tag}}:log`,
    marker: (orgId, request) => `{${tag}}:r:${checked(ORG, orgId)}:${checked(REQUEST, request)}`,
    currentBriefs: `{${tag}}:current-briefs`,
    session: (digest) => `{${tag}}:s:${checked(DIGEST, digest)}`,
    form: (digest) => `{${tag}}:f:${checked(DIGEST, digest)}`,
    limit: (name) => `{${tag}}:l:${name}`,
  };
}

function checked(shape: RegExp, part: string): string {
  if (!shape.test(part)) throw new RangeError('not a part of a credits key');
  return part;
}
