import type { IncomingMessage } from 'node:http';
import { clientAddress } from '../api/http/address.ts';
import { addressBlock } from '../api/http/address-block.ts';
import type { HeaderList } from '../api/http/base-headers.ts';
import type { ConnectContext } from './connect-context.ts';
import { newToken } from './cookie.ts';
import type { Session } from './sessions.ts';

/** One request of a visitor, as the pages see it. */
export type PageRequest = {
  readonly session: Session | null;
  /** What this visitor's forms carry. */
  readonly formToken: string;
  /** Cookies to set with whatever is answered. */
  readonly headers: HeaderList;
  /** Whom the rate limits count. */
  readonly address: string;
  /** Came by a link from elsewhere: the browser kept the session's cookie to itself. */
  readonly isFromElsewhere: boolean;
};

const FORM_SECONDS = 12 * 3_600;

/** Reads who it is, and gives a newcomer the cookie that the forms are bound to. */
export async function readPageRequest(context: ConnectContext, req: IncomingMessage): Promise<PageRequest> {
  const token = context.sessionCookie.read(req);
  const session = token === null ? null : await context.sessions.find(token);
  const rest = {
    address: addressBlock(clientAddress(req, context.api.trustProxy)),
    isFromElsewhere: req.headers['sec-fetch-site'] === 'cross-site',
  };
  if (session !== null) {
    return { session, formToken: context.tokens.of(session.token), headers: [], ...rest };
  }
  const known = context.formCookie.read(req);
  const cookie = known ?? newToken();
  const set = known === null ? ['Set-Cookie', context.formCookie.set(cookie, FORM_SECONDS)] : [];
  const gone = token === null ? [] : ['Set-Cookie', context.sessionCookie.clear()];
  return { session, formToken: context.tokens.of(cookie), headers: [...set, ...gone], ...rest };
}

/** Whether the form was made for this visitor: bound to the session where there is one. */
export function holdsForm(
  context: ConnectContext,
  req: IncomingMessage,
  session: Session | null,
  given: string,
): boolean {
  const cookie = session?.token ?? context.formCookie.read(req);
  return cookie !== null && context.tokens.isOf(cookie, given);
}
