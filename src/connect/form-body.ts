import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES } from '../api/http/limits.ts';
import { holdsKey } from '../credits/account/key.ts';

export type FormBody =
  | { readonly kind: 'form'; readonly form: URLSearchParams }
  /** More than 64 KB; the rest was not read. */
  | { readonly kind: 'too_large' }
  | { readonly kind: 'not_a_form' }
  /** The client went away. */
  | { readonly kind: 'aborted' };

/** Reads the body of a form that was sent in the usual encoding. */
export async function readForm(req: IncomingMessage): Promise<FormBody> {
  const type = (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  const isForm = type === 'application/x-www-form-urlencoded';
  if (!isForm || req.headers['content-encoding'] !== undefined) return { kind: 'not_a_form' };
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Not destroyed on return: what was too large is still answered.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > MAX_BODY_BYTES) return { kind: 'too_large' };
      chunks.push(chunk);
    }
  } catch {
    return { kind: 'aborted' };
  }
  return { kind: 'form', form: new URLSearchParams(Buffer.concat(chunks).toString('utf8')) };
}

/** One field's text; empty when it is absent. The first of two counts. */
export function textOf(form: URLSearchParams, name: string): string {
  return form.get(name) ?? '';
}

/** {@link textOf} as a page may show it again: nothing when there is a key in it. */
export function shownTextOf(form: URLSearchParams, name: string): string {
  const text = textOf(form, name);
  return holdsKey(text) ? '' : text;
}
