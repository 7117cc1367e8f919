import { withDeadline } from '../../api/metering/with-deadline.ts';
import { OVERLAPS, type Overlap, revokeKey, rotateKey } from '../../credits/account/key-life.ts';
import { MAX_LIVE_KEYS, mintKey } from '../../credits/account/key-mint.ts';
import {
  announceRecovery,
  recoverable,
  recoveredKey,
  replaceRecovery,
} from '../../credits/account/recovery.ts';
import { findKey, isAbove, type KeyDoc, labelKey } from '../../store/account/keys.ts';
import { findOrganization } from '../../store/account/organizations.ts';
import type { Action, Answer, SignedInRequest } from '../answer.ts';
import type { ConnectContext } from '../context.ts';
import { mayEnd, nameToType } from '../last-key.ts';
import { refusedOnce } from '../once.ts';
import { beginSession, LABEL_RULE, readLabel, textOf } from '../page-request.ts';
import { accountFault, NO_SUCH_KEY } from '../pages/account.ts';
import { entryPage } from '../pages/entry.ts';
import { keyPage, recoveryPage } from '../pages/key.ts';
import { tooMany } from '../refusal-page.ts';

const TOO_MANY_KEYS = `An organisation has at most ${MAX_LIVE_KEYS} valid keys. Revoke one first.`;

const MINTING = { limit: 'mint', refusal: 'Your organisation has made many keys.' } as const;

/** Makes another key, live or for the sandbox. The answer shows it, once. */
export const mintKeyForm: Action = {
  who: 'account',
  async act(context, request, form) {
    const { orgId } = request.session;
    const label = readLabel(textOf(form, 'label'));
    if (label === null)
      return accountFault(context, request, { form: 'mint', field: 'label', message: LABEL_RULE });
    const refused = await refusedOnce(context, request, form, { what: 'mint', ...MINTING });
    if (refused !== null) return refused;
    const minted = await mintKey(context.api.store, { orgId, label, ...kindOf(textOf(form, 'kind')) });
    if (minted.kind === 'too_many') {
      return accountFault(context, request, { form: 'mint', field: 'label', message: TOO_MANY_KEYS });
    }
    return keyPage(context, { added: minted.added, occasion: 'mint' });
  },
};

/** A key for calls is what programs need, so it is what anything else than the other two means. */
function kindOf(text: string): Pick<KeyDoc, 'mode' | 'callsOnly'> {
  if (text === 'test') return { mode: 'test' };
  return text === 'account' ? { mode: 'live' } : { mode: 'live', callsOnly: true };
}

export const labelKeyForm: Action = {
  who: 'account',
  async act(context, request, form) {
    const keyId = textOf(form, 'key_id');
    const label = readLabel(textOf(form, 'label'));
    if (label === null) {
      return accountFault(context, request, { form: 'key', field: 'label', keyId, message: LABEL_RULE });
    }
    const { orgId } = request.session;
    const isDone = await labelKey(context.api.db, { _id: keyId, orgId, label });
    return isDone ? { kind: 'done', notice: 'labelled' } : accountFault(context, request, NO_SUCH_KEY);
  },
};

const NOT_ROTATABLE = 'This key cannot be replaced: it has ended, or it is already being replaced.';

/** Replaces a key. A visitor who signed in with the old key stays signed in with the new one. */
export const rotateKeyForm: Action = {
  who: 'account',
  async act(context, request, form) {
    const { session } = request;
    const keyId = textOf(form, 'key_id');
    const overlap = textOf(form, 'overlap');
    const fault = { form: 'key', field: null, keyId } as const;
    if (!isOverlap(overlap)) {
      return accountFault(context, request, { ...fault, message: 'Choose one of the options.' });
    }
    const unproven = await refusedProof(context, request, form, { keyId, field: 'rotate_code' });
    if (unproven !== null) return unproven;
    const refused = await refusedOnce(context, request, form, { what: `rotate ${keyId}`, ...MINTING });
    if (refused !== null) return refused;
    const rotated = await rotateKey(context.api.store, { orgId: session.orgId, keyId }, overlap);
    if (rotated.kind !== 'rotated') {
      const message = rotated.kind === 'too_many' ? TOO_MANY_KEYS : NOT_ROTATABLE;
      return accountFault(context, request, { ...fault, message });
    }
    const { added, oldKeyEndsAt } = rotated;
    // The key is shown only here, so it is shown even when the session cannot continue with it.
    if (keyId === session.keyId)
      await withDeadline(context.api, () => context.sessions.move(session, added.doc._id));
    const replaced = { keyId, endsAt: overlap === 'now' ? null : oldKeyEndsAt };
    return keyPage(context, { added, occasion: 'rotate', replaced });
  },
};

function isOverlap(text: string): text is Overlap {
  return Object.hasOwn(OVERLAPS, text);
}

/**
 * Ends a key at once. A visitor who signed in with it is signed out. The last live key is the only way in
 * but the recovery code, so its name must be typed.
 */
export const revokeKeyForm: Action = {
  who: 'account',
  async act(context, request, form) {
    const { session } = request;
    const keyId = textOf(form, 'key_id');
    const key = await findKey(context.api.db, keyId);
    if (key?.orgId !== session.orgId) return accountFault(context, request, NO_SUCH_KEY);
    // First: what was refused must not be noted as about to end.
    const unproven = await refusedProof(context, request, form, { keyId, field: 'revoke_code' });
    if (unproven !== null) return unproven;
    const isNamed = textOf(form, 'confirm').trim() === nameToType(key);
    if (!isNamed && !(await mayEnd(context.api.store, key))) {
      const message = `This is the last live key. To revoke it, type: ${nameToType(key)}`;
      return accountFault(context, request, { form: 'key', field: 'confirm', keyId, message });
    }
    await revokeKey(context.api.store, keyId);
    if (keyId !== session.keyId) return { kind: 'done', notice: 'revoked' };
    await context.sessions.end(session.token);
    return { kind: 'done', notice: 'revoked', headers: ['Set-Cookie', context.sessionCookie.clear()] };
  },
};

const WRONG = 'This recovery code opens no account: it is mistyped, or a newer code replaced it.';

const TOO_MANY_RECOVERED =
  'This organisation has many valid keys. Sign in with one of them and revoke others; if all are lost, ask the operator of this site.';

/** Makes a key with the recovery code and signs the visitor in. Reloading its answer makes no second key. */
export const recoverForm: Action = {
  who: 'anyone',
  async act(context, request, form) {
    const wait = await context.limits.take('sign_in', request.address);
    if (wait !== null) return tooMany(wait, 'There were many sign-ins from your network.');
    const org = await recoverable(context.api.store, textOf(form, 'code'));
    const refused = (message: string): Answer => {
      const fault = { form: 'recover', field: 'code', message } as const;
      return { kind: 'page', status: 422, document: entryPage(context, request, { fault }) };
    };
    if (org === null) return refused(WRONG);
    if (request.session?.orgId === org._id) return { kind: 'done', notice: 'sent_before' };
    const minted = await recoveredKey(context.api.store, org);
    if (minted.kind === 'too_many') return refused(TOO_MANY_RECOVERED);
    const { added } = minted;
    const page = keyPage(context, { added, occasion: 'recover' });
    const begun = await withDeadline(context.api, () => beginSession(context, request, added.doc));
    // The key is shown only here, so it is shown even without a session.
    return begun.value === null ? page : { ...page, headers: begun.value };
  },
};

/**
 * Makes another recovery code for the organisation. The answer shows it, once. Without the present code it takes its
 * place later, so that a stolen key alone does not take the account.
 */
export const recoveryCodeForm: Action = {
  who: 'account',
  async act(context, request, form) {
    const refused = await refusedOnce(context, request, form, {
      what: 'recovery',
      limit: 'recovery',
      refusal: 'Your organisation has made many recovery codes.',
    });
    if (refused !== null) return refused;
    const { orgId } = request.session;
    const given = textOf(form, 'code').trim();
    const org = await findOrganization(context.api.db, orgId);
    const isFirst = org?.recovery === undefined;
    const isProven = isFirst || (given !== '' && (await provesOwner(context, request, given)));
    if (typeof isProven === 'object') return isProven;
    if (!isProven && given !== '')
      return accountFault(context, request, { form: 'recovery', field: 'code', message: WRONG_CODE });
    const { store } = context.api;
    if (isProven) return recoveryPage(await replaceRecovery(store, orgId), null);
    const { code, from } = await announceRecovery(store, org);
    return recoveryPage(code, from);
  },
};

const WRONG_CODE = 'This is not the recovery code of this organisation.';

/** Whether the text is the organisation's valid recovery code; a refusal where many were tried. */
async function provesOwner(
  { api, limits }: ConnectContext,
  { session, address }: SignedInRequest,
  text: string,
): Promise<boolean | Answer> {
  const wait = await limits.take('sign_in', address);
  if (wait !== null) return tooMany(wait, 'There were many recovery codes from your network.');
  return (await recoverable(api.store, text))?._id === session.orgId;
}

type Ended = { readonly keyId: string; readonly field: 'rotate_code' | 'revoke_code' };

/**
 * The answer to a form that ends a key which is older than that of the session, or was made with the recovery code,
 * without that code: a stolen key must not end those of its owner. Null when it may, also where the organisation has no code.
 */
async function refusedProof(
  context: ConnectContext,
  request: SignedInRequest,
  form: URLSearchParams,
  { keyId, field }: Ended,
): Promise<Answer | null> {
  const { db } = context.api;
  const { session } = request;
  const [key, own] = await Promise.all([findKey(db, keyId), findKey(db, session.keyId)]);
  if (key === null || (own !== null && !isAbove(key, own))) return null;
  if ((await findOrganization(db, session.orgId))?.recovery === undefined) return null;
  const proof = await provesOwner(context, request, textOf(form, field));
  if (proof === true) return null;
  return proof === false
    ? accountFault(context, request, { form: 'key', field, keyId, message: WRONG_CODE })
    : proof;
}
