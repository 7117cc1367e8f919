import { labelKey } from '../../store/account/keys.ts';
import type { Action } from '../answer.ts';
import { textOf } from '../form-body.ts';
import { LABEL_RULE, readLabel } from '../label.ts';
import { accountFault, NO_SUCH_KEY } from '../pages/account-page.ts';

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
