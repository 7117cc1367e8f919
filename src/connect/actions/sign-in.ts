import { digestOf, isSameSecret, readKey } from '../../credits/account/key.ts';
import type { KeyStore } from '../../credits/account/key-store.ts';
import { findKey, isLive, type KeyDoc } from '../../store/account/keys.ts';
import type { Action } from '../answer.ts';
import { textOf } from '../form-body.ts';
import { beginSession } from '../page-request.ts';
import { entryPage } from '../pages/entry.ts';
import { tooMany } from '../refusal-page.ts';

const WRONG =
  'This key does not open an account: it is mistyped, revoked, expired, for calls only or a test key.';

/** A live key opens its organisation's account. The answer to a wrong key does not name the reason. */
export const signInForm: Action = {
  who: 'anyone',
  async act(context, request, form) {
    const wait = await context.limits.take('sign_in', request.address);
    if (wait !== null) return tooMany(wait, 'There were many sign-ins from your network.');
    const key = await provenKey(context.api.store, textOf(form, 'key').trim());
    if (key === null) {
      const fault = { form: 'sign-in' as const, field: 'key' as const, message: WRONG };
      return { kind: 'page', status: 422, document: entryPage(context, request, { fault }) };
    }
    return { kind: 'done', notice: null, headers: await beginSession(context, request, key) };
  },
};

async function provenKey(store: KeyStore, text: string): Promise<KeyDoc | null> {
  const read = readKey(text);
  if (read?.mode !== 'live') return null;
  const digest = digestOf(text, store.pepper);
  const key = await findKey(store.db, read.keyId);
  if (key === null || !isSameSecret(key.digest, digest)) return null;
  return key.mode === 'live' && key.callsOnly !== true && isLive(key, store.now().getTime()) ? key : null;
}

export const signOutForm: Action = {
  who: 'account',
  async act(context, { session }) {
    await context.sessions.end(session.token);
    return { kind: 'done', notice: 'signed_out', headers: ['Set-Cookie', context.sessionCookie.clear()] };
  },
};
