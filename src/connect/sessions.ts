import { z } from 'zod';
import { SESSION_SECONDS } from '../credits/account/limits.ts';
import { redisKeys } from '../credits/redis-keys.ts';
import type { CreditStore } from '../credits/store.ts';
import { sha256Hex } from '../domain/canonical.ts';
import { findKey, isLive, type KeyDoc } from '../store/account/keys.ts';
import { newToken } from './cookie.ts';

/** A visitor who signed in with a key of the organisation. */
export type Session = { readonly token: string; readonly keyId: string; readonly orgId: string };

const stored = z.strictObject({ keyId: z.string(), orgId: z.string() });

/**
 * Sessions in Redis under the digest of their token, so the stored data opens no session. The key's
 * record is read at each request, so a revoked key opens no page.
 */
export function openSessions({ db, redis, tag, now }: CreditStore) {
  const nameOf = (token: string) => redisKeys(tag).session(sha256Hex(token));
  return {
    /** Begins a session under a new token. */
    async begin({ _id: keyId, orgId }: Pick<KeyDoc, '_id' | 'orgId'>): Promise<Session> {
      const token = newToken();
      await redis.set(nameOf(token), JSON.stringify({ keyId, orgId }), 'EX', SESSION_SECONDS);
      return { token, keyId, orgId };
    },
    /** Null without one, or when it has ended: its key is revoked or expired, or its time is over. */
    async find(token: string): Promise<Session | null> {
      const text = await redis.get(nameOf(token));
      if (text === null) return null;
      const { keyId, orgId } = stored.parse(JSON.parse(text));
      const key = await findKey(db, keyId);
      if (key !== null && key.orgId === orgId && isLive(key, now().getTime())) return { token, keyId, orgId };
      await redis.del(nameOf(token));
      return null;
    },
    /** Continues the session under another key of the same organisation. An ended session stays ended. */
    async move({ token, orgId }: Session, keyId: string): Promise<void> {
      await redis.set(nameOf(token), JSON.stringify({ keyId, orgId }), 'KEEPTTL', 'XX');
    },
    async end(token: string): Promise<void> {
      await redis.del(nameOf(token));
    },
  };
}
