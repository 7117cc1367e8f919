import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { isSameSecret } from '../credits/account/key.ts';
import { SESSION_SECONDS } from '../credits/account/limits.ts';
import { redisKeys } from '../credits/redis-keys.ts';
import type { CreditStore } from '../credits/store.ts';
import { sha256Hex } from '../domain/canonical.ts';
import { findKey, isLive, type KeyDoc } from '../store/account/keys.ts';

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

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * A cookie that holds one random token of ours. Strict and hidden from scripts. Over https the `__Host-` prefix prevents other hosts of the same domain
 * from setting it.
 */
export function tokenCookie(name: string, isHttps: boolean) {
  const full = isHttps ? `__Host-${name}` : name;
  const rest = `Path=/; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`;
  return {
    /** The token that the browser sent; null without one or with an invalid one. */
    read(req: IncomingMessage): string | null {
      const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim());
      const value = pairs.find((pair) => pair.startsWith(`${full}=`))?.slice(full.length + 1) ?? '';
      return TOKEN.test(value) ? value : null;
    },
    /** Value of a Set-Cookie header. */
    set: (token: string, seconds: number) => `${full}=${token}; Max-Age=${seconds}; ${rest}`,
    clear: () => `${full}=; Max-Age=0; ${rest}`,
  };
}

/** 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The token that proves that a form was made for the holder of a cookie. */
export function formTokens(pepper: string) {
  const secret = createHmac('sha256', pepper).update('form tokens').digest();
  const signed = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
  const onceOf = (cookie: string, random: string) => `${random}.${signed(`${cookie}.${random}`)}`;
  return {
    of: signed,
    isOf: (cookie: string, given: string) => isSameSecret(signed(cookie), given),
    /** Makes a form one that is accepted once. Only what we made is accepted, so nobody can fill our memory of it. */
    once: (cookie: string) => onceOf(cookie, newToken()),
    isOnce: (cookie: string, given: string) =>
      isSameSecret(onceOf(cookie, given.split('.', 1)[0] ?? ''), given),
  };
}

/**
 * Whether a POST comes from a page of this site, by `Sec-Fetch-Site` and `Origin`. A client that sends
 * neither is not a current browser; the token of the form decides then.
 * @param siteUrl the public address; the Host of the request is accepted too, for a site with two names
 */
export function isOwnOrigin(req: IncomingMessage, siteUrl: string): boolean {
  const { origin, host, 'sec-fetch-site': site } = req.headers;
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined) return true;
  const { protocol, origin: own } = new URL(siteUrl);
  return origin === own || origin === `${protocol}//${host}`;
}

/** Ends before the charge is forgotten, so that nothing opens as paid and is charged. */
const KEPT_SECONDS = 570;

/** A page of a visitor. */
export type PageOf = { readonly session: Session; readonly path: string };

/** The tokens with which visitors pay for a page, in Redis for as long as it opens again for nothing. */
export function openPaidTokens({ redis, tag }: CreditStore) {
  const nameOf = ({ session, path }: PageOf) =>
    redisKeys(tag).paidPage(sha256Hex(`${session.token}|${path}`));
  return {
    find: (page: PageOf): Promise<string | null> => redis.get(nameOf(page)),
    /** Before a charge: the token that stands for the page, which is this one if it is the first. */
    async standing(page: PageOf, token: string): Promise<string> {
      const isFirst = (await redis.set(nameOf(page), token, 'EX', KEPT_SECONDS, 'NX')) === 'OK';
      return isFirst ? token : ((await redis.get(nameOf(page))) ?? token);
    },
    /** The charge stands: from now on it is kept for the whole time. */
    async keep(page: PageOf, token: string): Promise<void> {
      await redis.set(nameOf(page), token, 'EX', KEPT_SECONDS);
    },
    async forget(page: PageOf): Promise<void> {
      await redis.del(nameOf(page));
    },
  };
}
