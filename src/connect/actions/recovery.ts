import { withDeadline } from '../../api/metering/with-deadline.ts';
import {
  announceRecovery,
  recoverable,
  recoveredKey,
  replaceRecovery,
} from '../../credits/account/recovery.ts';
import { findOrganization } from '../../store/account/organizations.ts';
import type { Action, Answer } from '../answer.ts';
import { refusedOnce } from '../once.ts';
import { provesOwner, WRONG_CODE } from '../owner.ts';
import { beginSession, textOf } from '../page-request.ts';
import { accountFault } from '../pages/account.ts';
import { entryPage } from '../pages/entry.ts';
import { keyPage, recoveryPage } from '../pages/key.ts';
import { tooMany } from '../refusal-page.ts';

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
