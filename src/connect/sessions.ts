import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { KeyStore } from '../credits/account/key-store.ts';
import { redisKeys } from '../credits/redis-keys.ts';
import { findKey, isLive, type KeyDoc } from '../store/account/keys.ts';
import { newToken } from './cookie.ts';

/** Somebody who showed a key of the organisation. */
export type Session = { readonly token: string; readonly keyId: string; readonly orgId: string };

export type Sessions = {
  /** Begins a session under a new token. */
  readonly begin: (key: Pick<KeyDoc, '_id' | 'orgId'>) => Promise<Session>;
  /** Null when there is none, or none any more: its key is revoked or expired, or its time is over. */
  readonly find: (token: string) => Promise<Session | null>;
  /** Lets the session go on under another key of the same organisation; one that ended stays ended. */
  readonly move: (session: Session, keyId: string) => Promise<void>;
  readonly end: (token: string) => Promise<void>;
};

export const SESSION_SECONDS = 12 * 3_600;

const stored = z.strictObject({ keyId: z.string(), orgId: z.string() });

/**
 * Sessions in Redis under the digest of their token, so that what is stored opens nothing. The key's
 * record is read at each request: a revoked key opens no page either.
 */
export function openSessions({ db, redis, tag }: KeyStore): Sessions {
  const nameOf = (token: string) => redisKeys(tag).session(createHash('sha256').update(token).digest('hex'));
  return {
    async begin({ _id: keyId, orgId }) {
      const token = newToken();
      await redis.set(nameOf(token), JSON.stringify({ keyId, orgId }), 'EX', SESSION_SECONDS);
      return { token, keyId, orgId };
    },
    async find(token) {
      const text = await redis.get(nameOf(token));
      if (text === null) return null;
      const { keyId, orgId } = stored.parse(JSON.parse(text));
      const key = await findKey(db, keyId);
      if (key !== null && key.orgId === orgId && isLive(key, Date.now())) return { token, keyId, orgId };
      await redis.del(nameOf(token));
      return null;
    },
    async move({ token, orgId }, keyId) {
      await redis.set(nameOf(token), JSON.stringify({ keyId, orgId }), 'KEEPTTL', 'XX');
    },
    async end(token) {
      await redis.del(nameOf(token));
    },
  };
}
