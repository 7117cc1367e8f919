import type { Api } from '../api/open.ts';
import { openLimits } from './limits.ts';
import { openPaidTokens } from './paid-tokens.ts';
import { formTokens, openSessions, tokenCookie } from './sessions.ts';

export type ConnectContext = Readonly<ReturnType<typeof openConnect>>;

/** What the account pages need, opened once at start. */
export function openConnect(api: Api) {
  const isHttps = api.siteUrl.startsWith('https:');
  return {
    api,
    sessions: openSessions(api.store),
    paidTokens: openPaidTokens(api.store),
    limits: openLimits(api.store, api.signUp),
    tokens: formTokens(api.store.pepper),
    /** For a signed-in visitor. */
    sessionCookie: tokenCookie('tidemark', isHttps),
    /** For any visitor: the forms before sign-in are bound to it. */
    formCookie: tokenCookie('tidemark-form', isHttps),
  };
}
