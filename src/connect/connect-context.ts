import type { Api } from '../api/open.ts';
import { type FormTokens, formTokens, type TokenCookie, tokenCookie } from './cookie.ts';
import { type ConnectLimits, openLimits } from './limits.ts';
import { openSessions, type Sessions } from './sessions.ts';

/** What the account pages need, opened once at start. */
export type ConnectContext = {
  readonly api: Api;
  readonly sessions: Sessions;
  readonly limits: ConnectLimits;
  readonly tokens: FormTokens;
  /** For a signed-in visitor. */
  readonly sessionCookie: TokenCookie;
  /** For any visitor: the forms before sign-in are bound to it. */
  readonly formCookie: TokenCookie;
};

export function openConnect(api: Api): ConnectContext {
  const isHttps = api.siteUrl.startsWith('https:');
  return {
    api,
    sessions: openSessions(api.store),
    limits: openLimits(api.store),
    tokens: formTokens(api.store.pepper),
    sessionCookie: tokenCookie('tidemark', isHttps),
    formCookie: tokenCookie('tidemark-form', isHttps),
  };
}
