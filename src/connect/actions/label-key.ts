import { labelKey } from '../../store/account/keys.ts';
import type { Action } from '../answer.ts';
import { textOf } from '../form-body.ts';
import { LABEL_RULE, readLabel } from '../label.ts';
import { accountFault, NO_SUCH_KEY } from '../pages/account-page.ts';

export const labelKeyForm: Action = {
  who: 'account',
  async act(desk, visit, form) {
    const keyId = textOf(form, 'key_id');
    const label = readLabel(textOf(form, 'label'));
    if (label === null) {
      return accountFault(desk, visit, { form: 'key', field: 'label', keyId, message: LABEL_RULE });
    }
    const { orgId } = visit.session;
    const isDone = await labelKey(desk.api.db, { _id: keyId, orgId, label });
    return isDone ? { kind: 'done', notice: 'labelled' } : accountFault(desk, visit, NO_SUCH_KEY);
  },
};
