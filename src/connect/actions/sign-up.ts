import { withDeadline } from '../../api/metering/with-deadline.ts';
import { digestOf, isSameSecret, readKey } from '../../credits/account/key.ts';
import type { AddedKey } from '../../credits/account/key-mint.ts';
import type { KeyStore } from '../../credits/account/key-record.ts';
import { readOrgName, signUp } from '../../credits/account/sign-up.ts';
import { findKey, isLive, type KeyDoc } from '../../store/account/keys.ts';
import { findOrganizationByName } from '../../store/account/organizations.ts';
import type { Action, Answer } from '../answer.ts';
import type { ConnectContext } from '../context.ts';
import { beginSession, type PageRequest, shownTextOf, textOf } from '../page-request.ts';
import { entryPage } from '../pages/entry.ts';
import { keyPage } from '../pages/key.ts';
import { refusalPage, tooMany } from '../refusal-page.ts';

const NAME_RULE =
  'A name has 2 to 100 characters, with at least one letter or digit. It must not be a key, or look like an id (12 small letters and digits): add a capital letter or a space.';
const TAKEN =
  'An organisation of that name already exists. Choose another name, or sign in with one of its keys.';

/** Makes an organisation and its first key, and signs the visitor in. */
export const signUpForm: Action = {
  who: 'anyone',
  async act(context, request, form) {
    const { mode, inviteCodes, credits } = context.api.signUp;
    if (mode === 'closed') {
      return refusalPage(403, 'Sign-up is closed', 'Only the operator of this site creates organisations.');
    }
    const given = textOf(form, 'organisation');
    const name = readOrgName(given);
    // Before any limit: a reload of the page that showed the key counts as nothing.
    if (name !== null && (await isOwn(context, request, name)))
      return { kind: 'done', notice: 'sent_before' };
    const tries = await context.limits.take('sign_up_try', request.address);
    if (tries !== null) return tooMany(tries, 'There were many sign-ups from your network.');
    const refused = (field: 'organisation' | 'invite', message: string): Answer => {
      const fault = { form: 'sign-up' as const, field, message };
      const document = entryPage(context, request, {
        fault,
        organisation: shownTextOf(form, 'organisation').slice(0, 200),
      });
      return { kind: 'page', status: 422, document };
    };
    const invited = inviteCodes.findIndex((code) => isSameSecret(code, textOf(form, 'invite').trim()));
    if (mode === 'invite' && invited < 0) {
      return refused('invite', 'This invite code is not valid.');
    }
    if (name === null) return refused('organisation', NAME_RULE);
    const wait = await context.limits.take('sign_up', request.address);
    if (wait !== null) return tooMany(wait, 'Your network has created several organisations.');
    // A pot for each invite code: who has one empties no other.
    const pot = mode === 'invite' ? `code ${invited}` : 'all';
    const from = await takeFree(context, pot, credits);
    const made = await signUp(context.api.store, { name, credits: from === null ? 0 : credits });
    if (made.kind === 'made') return welcome(context, request, { ...made, isWithoutCredits: from === null });
    await Promise.all([
      context.limits.giveBack('sign_up', request.address),
      from === null ? null : context.limits.giveBack(from, pot, credits),
    ]);
    return refused('organisation', TAKEN);
  },
};

/** Takes the credits of an organisation out of the pot; null when it is empty, which is said in the log. */
async function takeFree({ limits, api }: ConnectContext, pot: string, credits: number) {
  for (const from of ['free_credits', 'free_credits_hour'] as const) {
    if ((await limits.take(from, pot, credits)) === null) return from;
  }
  api.log.warn({ pot }, 'no free credits are left for now: an organisation begins with none');
  return null;
}

/** A reload of the page that showed the first key: the name is taken by the visitor. */
async function isOwn({ api }: ConnectContext, { session }: PageRequest, name: string): Promise<boolean> {
  return session !== null && (await findOrganizationByName(api.db, name))?._id === session.orgId;
}

type Made = {
  readonly added: AddedKey;
  readonly recoveryCode: string;
  readonly isWithoutCredits: boolean;
};

async function welcome(
  context: ConnectContext,
  request: PageRequest,
  { added, recoveryCode, isWithoutCredits }: Made,
): Promise<Answer> {
  const page = keyPage(context, { added, occasion: 'sign-up', recoveryCode, isWithoutCredits });
  const begun = await withDeadline(context.api, () => beginSession(context, request, added.doc));
  // The key is shown only here, so it is shown even without a session. The visitor can sign in with it.
  return begun.value === null ? page : { ...page, headers: begun.value };
}

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
