import { withDeadline } from '../../api/metering/with-deadline.ts';
import { OVERLAPS, type Overlap, rotateKey } from '../../credits/account/key-rotate.ts';
import type { Action } from '../answer.ts';
import { textOf } from '../form-body.ts';
import { isFirst } from '../once.ts';
import { accountFault } from '../pages/account-page.ts';
import { keyPage } from '../pages/key-page.ts';
import { tooMany } from '../refusal-page.ts';
import { TOO_MANY_KEYS } from './mint-key.ts';

const NOT_ROTATABLE = 'This key cannot be replaced: it has ended, or it is already being replaced.';

/** Replaces a key. A visitor who signed in with the old key stays signed in with the new one. */
export const rotateKeyForm: Action = {
  who: 'account',
  async act(context, request, form) {
    const { session } = request;
    const keyId = textOf(form, 'key_id');
    const overlap = textOf(form, 'overlap');
    if (!isOverlap(overlap)) {
      return accountFault(context, request, {
        form: 'key',
        field: null,
        keyId,
        message: 'Choose one of the options.',
      });
    }
    if (!(await isFirst(context, form, `rotate ${session.orgId} ${keyId}`)))
      return { kind: 'done', notice: 'sent_before' };
    const wait = await context.limits.take('mint', session.orgId);
    if (wait !== null) return tooMany(wait, 'Your organisation has made many keys.');
    const rotated = await rotateKey(context.api.store, { orgId: session.orgId, keyId }, overlap);
    if (rotated.kind !== 'rotated') {
      const message = rotated.kind === 'too_many' ? TOO_MANY_KEYS : NOT_ROTATABLE;
      return accountFault(context, request, { form: 'key', field: null, keyId, message });
    }
    const { added, oldKeyEndsAt } = rotated;
    // The key is shown only here, so it is shown even when the session cannot continue with it.
    if (keyId === session.keyId)
      await withDeadline(context.api, () => context.sessions.move(session, added.doc._id));
    const replaced = { keyId, endsAt: overlap === 'now' ? null : oldKeyEndsAt };
    const document = keyPage(context, { added, occasion: 'rotate', replaced });
    return { kind: 'page', status: 201, document };
  },
};

function isOverlap(text: string): text is Overlap {
  return Object.hasOwn(OVERLAPS, text);
}
