import { MAX_LIVE_KEYS, mintKey } from '../../credits/account/key-mint.ts';
import type { Action } from '../answer.ts';
import { textOf } from '../form-body.ts';
import { LABEL_RULE, readLabel } from '../label.ts';
import { isFirst } from '../once.ts';
import { accountFault } from '../pages/account-page.ts';
import { keyPage } from '../pages/key-page.ts';
import { tooMany } from '../refusal-page.ts';

export const TOO_MANY_KEYS = `An organisation has at most ${MAX_LIVE_KEYS} valid keys. Revoke one first.`;

/** Makes another key, live or for the sandbox. The answer shows it, once. */
export const mintKeyForm: Action = {
  who: 'account',
  async act(context, request, form) {
    const { orgId } = request.session;
    const label = readLabel(textOf(form, 'label'));
    if (label === null)
      return accountFault(context, request, { form: 'mint', field: 'label', message: LABEL_RULE });
    if (!(await isFirst(context, form, `mint ${orgId}`))) return { kind: 'done', notice: 'sent_before' };
    const wait = await context.limits.take('mint', orgId);
    if (wait !== null) return tooMany(wait, 'Your organisation has made many keys.');
    const mode = textOf(form, 'mode') === 'test' ? 'test' : 'live';
    const minted = await mintKey(context.api.store, { orgId, label, mode });
    if (minted.kind === 'too_many') {
      return accountFault(context, request, { form: 'mint', field: 'label', message: TOO_MANY_KEYS });
    }
    const document = keyPage(context, { added: minted.added, occasion: 'mint' });
    return { kind: 'page', status: 201, document };
  },
};
