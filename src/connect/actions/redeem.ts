import { redeemVoucher } from '../../credits/account/voucher.ts';
import type { Action } from '../answer.ts';
import { textOf } from '../form-body.ts';
import { accountFault } from '../pages/account.ts';
import { tooMany } from '../refusal-page.ts';

const REFUSED = {
  unknown: 'This voucher cannot be redeemed: it is mistyped, used or revoked.',
  expired: 'This voucher has expired.',
  already: 'Your organisation has already redeemed this voucher.',
} as const;

/** Counted before the check and given back for a valid code, so parallel guesses count like single ones. */
export const redeemForm: Action = {
  who: 'account',
  async act(context, request, form) {
    const { orgId } = request.session;
    const who = `${orgId}|${request.address}`;
    const wait = await context.limits.take('voucher', who);
    if (wait !== null) return tooMany(wait, 'Too many of the codes were not valid.');
    const redeemed = await redeemVoucher(context.api.store, orgId, textOf(form, 'code'));
    if (redeemed.kind !== 'unknown') await context.limits.giveBack('voucher', who);
    if (redeemed.kind === 'redeemed') return { kind: 'done', notice: 'redeemed' };
    return accountFault(context, request, {
      form: 'voucher',
      field: 'code',
      message: REFUSED[redeemed.kind],
    });
  },
};
