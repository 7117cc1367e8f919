import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A cookie that holds one random token of ours. */
export type TokenCookie = {
  /** The token that the browser sent; null without one or with an invalid one. */
  readonly read: (req: IncomingMessage) => string | null;
  /** Value of a Set-Cookie header. */
  readonly set: (token: string, seconds: number) => string;
  readonly clear: () => string;
};

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Strict and hidden from scripts. Over https the `__Host-` prefix prevents other hosts of the same domain
 * from setting it.
 */
export function tokenCookie(name: string, isHttps: boolean): TokenCookie {
  const full = isHttps ? `__Host-${name}` : name;
  const rest = `Path=/; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`;
  return {
    read(req) {
      const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim());
      const value = pairs.find((pair) => pair.startsWith(`${full}=`))?.slice(full.length + 1) ?? '';
      return TOKEN.test(value) ? value : null;
    },
    set: (token, seconds) => `${full}=${token}; Max-Age=${seconds}; ${rest}`,
    clear: () => `${full}=; Max-Age=0; ${rest}`,
  };
}

/** 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}
