import { revokeKey } from '../../credits/account/key-life.ts';
import { findKey } from '../../store/account/keys.ts';
import type { Action } from '../answer.ts';
import { textOf } from '../form-body.ts';
import { accountFault, NO_SUCH_KEY } from '../pages/account-page.ts';

/** Ends a key at once. A visitor who signed in with it is signed out. */
export const revokeKeyForm: Action = {
  who: 'account',
  async act(context, request, form) {
    const { session } = request;
    const keyId = textOf(form, 'key_id');
    const key = await findKey(context.api.db, keyId);
    if (key?.orgId !== session.orgId) return accountFault(context, request, NO_SUCH_KEY);
    await revokeKey(context.api.store, keyId);
    if (keyId !== session.keyId) return { kind: 'done', notice: 'revoked' };
    await context.sessions.end(session.token);
    return { kind: 'done', notice: 'revoked', headers: ['Set-Cookie', context.sessionCookie.clear()] };
  },
};
