import { withDeadline } from '../../api/metering/with-deadline.ts';
import { OVERLAPS, type Overlap, revokeKey, rotateKey } from '../../credits/account/key-life.ts';
import { MAX_LIVE_KEYS, mintKey } from '../../credits/account/key-mint.ts';
import { findKey, type KeyDoc, labelKey } from '../../store/account/keys.ts';
import type { Action } from '../answer.ts';
import { mayEnd, nameToType } from '../last-key.ts';
import { refusedOnce } from '../once.ts';
import { refusedProof } from '../owner.ts';
import { LABEL_RULE, readLabel, textOf } from '../page-request.ts';
import { accountFault, NO_SUCH_KEY } from '../pages/account.ts';
import { keyPage } from '../pages/key.ts';

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
