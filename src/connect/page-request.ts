import type { IncomingMessage } from 'node:http';
import { clientBlock } from '../api/http/address.ts';
import type { HeaderList } from '../api/http/base-headers.ts';
import { readBody } from '../api/http/limits.ts';
import { holdsKey } from '../credits/account/key.ts';
import { SESSION_SECONDS } from '../credits/account/limits.ts';
import type { ConnectContext } from './context.ts';
import { newToken, type Session } from './sessions.ts';

/** One request of a visitor, as the pages need it. */
export type PageRequest = {
  readonly session: Session | null;
  /** The token of this visitor's forms. */
  readonly formToken: string;
  /** Cookies to set with any answer. */
  readonly headers: HeaderList;
  /** The client that the rate limits count. */
  readonly address: string;
  /** Came by a link of another site, so the browser did not send the session's cookie. */
  readonly isFromElsewhere: boolean;
};

const FORM_SECONDS = 12 * 3_600;

/** Reads the session. A new visitor gets the cookie that the forms are bound to. */
export async function readPageRequest(context: ConnectContext, req: IncomingMessage): Promise<PageRequest> {
  const token = context.sessionCookie.read(req);
  const session = token === null ? null : await context.sessions.find(token);
  const rest = {
    address: clientBlock(req, context.api.trustProxy),
    isFromElsewhere: req.headers['sec-fetch-site'] === 'cross-site',
  };
  if (session !== null) {
    return { session, formToken: context.tokens.of(session.token), headers: [], ...rest };
  }
  const known = context.formCookie.read(req);
  const cookie = known ?? newToken();
  const set = known === null ? ['Set-Cookie', context.formCookie.set(cookie, FORM_SECONDS)] : [];
  const cleared = token === null ? [] : ['Set-Cookie', context.sessionCookie.clear()];
  return { session, formToken: context.tokens.of(cookie), headers: [...set, ...cleared], ...rest };
}

/** Begins a session with a key and ends the one before. Returns the header that sets its cookie. */
export async function beginSession(
  { sessions, sessionCookie }: ConnectContext,
  { session: before }: PageRequest,
  key: Parameters<ConnectContext['sessions']['begin']>[0],
): Promise<HeaderList> {
  if (before !== null) await sessions.end(before.token);
  const { token } = await sessions.begin(key);
  return ['Set-Cookie', sessionCookie.set(token, SESSION_SECONDS)];
}

/** Whether the form was made for this visitor; with a session, for that session. */
export function holdsForm(
  context: ConnectContext,
  req: IncomingMessage,
  session: Session | null,
  given: string,
): boolean {
  const cookie = session?.token ?? context.formCookie.read(req);
  return cookie !== null && context.tokens.isOf(cookie, given);
}

type FormBody =
  | { readonly kind: 'form'; readonly form: URLSearchParams }
  /** More than 64 KB; the rest was not read. */
  | { readonly kind: 'too_large' }
  | { readonly kind: 'not_a_form' }
  /** The client closed the connection. */
  | { readonly kind: 'aborted' };

/** Reads the body of a form in the standard encoding. */
export async function readForm(req: IncomingMessage): Promise<FormBody> {
  const type = (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  const isForm = type === 'application/x-www-form-urlencoded';
  if (!isForm || req.headers['content-encoding'] !== undefined) return { kind: 'not_a_form' };
  const body = await readBody(req);
  if (body.kind !== 'read') return body;
  return { kind: 'form', form: new URLSearchParams(body.bytes.toString('utf8')) };
}

/** The text of one field; empty when it is absent. The first of two counts. */
export function textOf(form: URLSearchParams, name: string): string {
  return form.get(name) ?? '';
}

/** {@link textOf} as a page may show it again: nothing when it contains a key. */
export function shownTextOf(form: URLSearchParams, name: string): string {
  const text = textOf(form, name);
  return holdsKey(text) ? '' : text;
}

/** Maximum characters of a key's label. */
export const MAX_LABEL = 60;

/**
 * The label of a key as it is stored. Null when it is too long, has invisible characters, or contains a
 * key, which must not be stored.
 */
export function readLabel(text: string): string | null {
  const label = text.normalize('NFC').replace(/\s+/gu, ' ').trim();
  const isShown = !/[\p{C}\p{Zl}\p{Zp}]/u.test(label);
  return [...label].length <= MAX_LABEL && isShown && !holdsKey(label) ? label : null;
}

export const LABEL_RULE = `A label has at most ${MAX_LABEL} characters and is not a key.`;
