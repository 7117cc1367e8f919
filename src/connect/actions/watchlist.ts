import { holdsKey } from '../../credits/account/key.ts';
import { redeemVoucher } from '../../credits/account/voucher.ts';
import { replaceWatchlist } from '../../store/account/watchlists.ts';
import type { Action } from '../answer.ts';
import { shownTextOf, textOf } from '../page-request.ts';
import { accountFault } from '../pages/account.ts';
import { tooMany } from '../refusal-page.ts';

const FIELDS = ['tickers', 'ciks'] as const;
const NO_KEY = 'Not saved: an API key is not a valid entry.';

/** Entries are separated by commas, blanks or line breaks. */
export const watchlistForm: Action = {
  who: 'account',
  async act(context, request, form) {
    const given = { tickers: textOf(form, 'tickers'), ciks: textOf(form, 'ciks') };
    const keyIn = FIELDS.find((name) => holdsKey(given[name]));
    if (keyIn !== undefined) {
      const shown = { tickers: shownTextOf(form, 'tickers'), ciks: shownTextOf(form, 'ciks') };
      const fault = { field: keyIn, message: NO_KEY, given: shown };
      return accountFault(context, request, { form: 'watchlist', ...fault });
    }
    const wanted = { tickers: entriesOf(given.tickers), ciks: entriesOf(given.ciks) };
    const at = context.api.store.now().toISOString();
    const replaced = await replaceWatchlist(context.api.db, request.session.orgId, wanted, at);
    if (replaced.kind === 'saved') return { kind: 'done', notice: 'watchlist' };
    const message = replaced.faults.slice(0, 5).map((fault) => fault.message);
    const field = replaced.faults[0]?.field ?? 'tickers';
    const fault = { field, message: `Not saved: ${message.join('; ')}.`, given };
    return accountFault(context, request, { form: 'watchlist', ...fault });
  },
};

function entriesOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((entry) => entry !== '');
}

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
