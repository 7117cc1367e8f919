import type { IncomingMessage } from 'node:http';
import { readBody } from '../api/http/limits.ts';
import { holdsKey } from '../credits/account/key.ts';

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
