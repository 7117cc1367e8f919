const ORG = /^[a-z0-9]{8,32}$/;
const KEY_ID = /^[0-9A-Za-z]{8}$/;
const DIGEST = /^[0-9a-f]{64}$/;
const REQUEST = /^[A-Za-z0-9-]{1,80}$/;

/**
 * Names of the credits keys. The braces make one hash slot of them, so that a script's keys stand
 * together in a cluster. Parts come from records and from us, never from a request, and are
 * checked all the same.
 */
export type RedisKeys = {
  readonly key: (keyId: string) => string;
  readonly org: (orgId: string) => string;
  readonly log: string;
  readonly marker: (orgId: string, request: string) => string;
  /** Pub/sub: a ticker whose brief head moved. */
  readonly currentBriefs: string;
  /** A signed-in visitor of the account pages, by the digest of the cookie. */
  readonly session: (digest: string) => string;
  /** A form that may be sent once, by the digest of what it carries. */
  readonly form: (digest: string) => string;
  /** What the counters of one rate limit begin with. */
  readonly limit: (name: string) => string;
};

export function redisKeys(tag: string): RedisKeys {
  return {
    key: (keyId) => `{${tag}}:k:${checked(KEY_ID, keyId)}`,
    org: (orgId) => `{${tag}}:o:${checked(ORG, orgId)}`,
    log: `{${tag}}:log`,
    marker: (orgId, request) => `{${tag}}:r:${checked(ORG, orgId)}:${checked(REQUEST, request)}`,
    currentBriefs: `{${tag}}:heads`,
    session: (digest) => `{${tag}}:s:${checked(DIGEST, digest)}`,
    form: (digest) => `{${tag}}:f:${checked(DIGEST, digest)}`,
    limit: (name) => `{${tag}}:l:${name}`,
  };
}

function checked(shape: RegExp, part: string): string {
  if (!shape.test(part)) throw new RangeError('not a part of a credits key');
  return part;
}
