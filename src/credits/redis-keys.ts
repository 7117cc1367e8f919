import type { Redis } from 'ioredis';

const ORG = /^[a-z0-9]{8,32}$/;
const KEY_ID = /^[0-9A-Za-z]{8}$/;
const DIGEST = /^[0-9a-f]{64}$/;
const REQUEST = /^[A-Za-z0-9-]{1,80}$/;

/** Whether a record of MongoDB is a key: what has another id opens nothing. */
export const isKeyPart = (text: string): boolean => KEY_ID.test(text);
/** Whether text from Redis can be the id of an organisation, or of a request: else no key has that name. */
export const isOrgPart = (text: string): boolean => ORG.test(text);
export const isRequestPart = (text: string): boolean => REQUEST.test(text);

export type RedisKeys = ReturnType<typeof redisKeys>;

/**
 * Names of the credits keys. The braces put them in one hash slot, so a script also runs in a cluster.
 * The parts come from our records, never from a request, and are checked anyway.
 */
export function redisKeys(tag: string) {
  return {
    key: (keyId: string) => `{${tag}}:k:${checked(KEY_ID, keyId)}`,
    org: (orgId: string) => `{${tag}}:o:${checked(ORG, orgId)}`,
    log: `{${tag}}:log`,
    /** Pub/sub, see charge.lua: organisations that have half of what may be at risk, or are refused for it. */
    fullLog: `{${tag}}:log:full`,
    /** Credits charged of all organisations and not yet in MongoDB. */
    exposure: `{${tag}}:und`,
    /** Charges whose answer is not sent yet, and the processes that send them. */
    openCalls: `{${tag}}:open`,
    processes: `{${tag}}:processes`,
    /** Organisations whose charges are stopped until the operator sets the fence. */
    forks: `{${tag}}:forks`,
    /** A random word. Another one has every balance compared with the ledger again. */
    fence: `{${tag}}:fence`,
    /** Held by the process that drains the log. */
    drainer: `{${tag}}:drainer`,
    marker: (orgId: string, request: string) =>
      `{${tag}}:r:${checked(ORG, orgId)}:${checked(REQUEST, request)}`,
    /** Sorted set: the highest published event of each database. */
    highestSeq: `{${tag}}:highest-seq`,
    /** Pub/sub: the highest published event was raised. */
    events: `{${tag}}:events`,
    /** Pub/sub: tickers with another current brief. */
    currentBriefs: `{${tag}}:current-briefs`,
    /** A signed-in visitor of the account pages, by the digest of the cookie. */
    session: (digest: string) => `{${tag}}:s:${checked(DIGEST, digest)}`,
    /** A form that is accepted once, by the digest of its token. */
    form: (digest: string) => `{${tag}}:f:${checked(DIGEST, digest)}`,
    /** The token that a page was paid with, by the digest of visitor and page. */
    paidPage: (digest: string) => `{${tag}}:p:${checked(DIGEST, digest)}`,
    /** Prefix of the counters of one rate limit. */
    limit: (name: string) => `{${tag}}:l:${name}`,
  } as const;
}

/** What is of another type is none of ours and says nothing: it would keep every API from starting. */
export async function removeUnless(redis: Redis, type: 'hash' | 'zset', name: string): Promise<void> {
  if (![type, 'none'].includes(await redis.type(name))) await redis.del(name);
}

function checked(shape: RegExp, part: string): string {
  if (!shape.test(part)) throw new RangeError('not a part of a credits key');
  return part;
}
