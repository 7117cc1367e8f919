import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isSameSecret } from '../credits/account/key.ts';

/** The token that proves that a form was made for the holder of a cookie. */
export type FormTokens = {
  readonly of: (cookie: string) => string;
  readonly isOf: (cookie: string, given: string) => boolean;
};

export function formTokens(pepper: string): FormTokens {
  const secret = createHmac('sha256', pepper).update('form tokens').digest();
  const tokenOf = (cookie: string) => createHmac('sha256', secret).update(cookie).digest('base64url');
  return { of: tokenOf, isOf: (cookie, given) => isSameSecret(tokenOf(cookie), given) };
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
