import type { IncomingMessage } from 'node:http';
import { clientAddress } from '../api/http/address.ts';
import { addressBlock } from '../api/http/address-block.ts';
import type { HeaderList } from '../api/http/base-headers.ts';
import type { Desk } from './connect-context.ts';
import { newToken } from './cookie.ts';
import type { Session } from './sessions.ts';

/** One request of a visitor, as the pages see it. */
export type Visit = {
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
export async function openVisit(desk: Desk, req: IncomingMessage): Promise<Visit> {
  const token = desk.sessionCookie.read(req);
  const session = token === null ? null : await desk.sessions.find(token);
  const rest = {
    address: addressBlock(clientAddress(req, desk.api.trustProxy)),
    isFromElsewhere: req.headers['sec-fetch-site'] === 'cross-site',
  };
  if (session !== null) {
    return { session, formToken: desk.tokens.of(session.token), headers: [], ...rest };
  }
  const known = desk.formCookie.read(req);
  const cookie = known ?? newToken();
  const set = known === null ? ['Set-Cookie', desk.formCookie.set(cookie, FORM_SECONDS)] : [];
  const gone = token === null ? [] : ['Set-Cookie', desk.sessionCookie.clear()];
  return { session, formToken: desk.tokens.of(cookie), headers: [...set, ...gone], ...rest };
}

/** Whether the form was made for this visitor: bound to the session where there is one. */
export function holdsForm(desk: Desk, req: IncomingMessage, session: Session | null, given: string): boolean {
  const cookie = session?.token ?? desk.formCookie.read(req);
  return cookie !== null && desk.tokens.isOf(cookie, given);
}
