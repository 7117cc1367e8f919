import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What a form carries to show that it was made for the holder of a cookie. */
export type FormTokens = {
  readonly of: (cookie: string) => string;
  readonly isOf: (cookie: string, given: string) => boolean;
};

export function formTokens(pepper: string): FormTokens {
  const secret = createHmac('sha256', pepper).update('form tokens').digest();
  const tokenOf = (cookie: string) => createHmac('sha256', secret).update(cookie).digest('base64url');
  return {
    of: tokenOf,
    isOf(cookie, given) {
      const expected = Buffer.from(tokenOf(cookie));
      const actual = Buffer.from(given);
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    },
  };
}

/**
 * Whether a POST comes from a page of ours, as far as the browser tells: by `Sec-Fetch-Site`, by
 * `Origin`. A client that sends neither is no browser of these years; the form's token judges it.
 * @param siteUrl what clients see; the request's own Host counts too, for a site seen under two names
 */
export function isOwnOrigin(req: IncomingMessage, siteUrl: string): boolean {
  const { origin, host, 'sec-fetch-site': site } = req.headers;
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined) return true;
  const { protocol, origin: own } = new URL(siteUrl);
  return origin === own || origin === `${protocol}//${host}`;
}
