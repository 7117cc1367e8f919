import { redeemVoucher } from '../../credits/account/voucher.ts';
import type { Action } from '../answer.ts';
import { textOf } from '../form-body.ts';
import { accountFault } from '../pages/account-page.ts';
import { tooMany } from '../refusal-page.ts';

const REFUSED = {
  unknown: 'That is no voucher that can be redeemed: it is mistyped, used or withdrawn.',
  expired: 'That voucher has expired.',
  already: 'Your organisation has redeemed that voucher already.',
} as const;

/** Counted before it is judged, and not counted when it was good: many at once guess no more than one by one. */
export const redeemForm: Action = {
  who: 'account',
  async act(context, request, form) {
    const { orgId } = request.session;
    const who = `${orgId}|${request.address}`;
    const wait = await context.limits.take('voucher', who);
    if (wait !== null) return tooMany(wait, 'Too many codes were not vouchers.');
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
