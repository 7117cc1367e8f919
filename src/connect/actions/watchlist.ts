import { holdsKey } from '../../credits/account/key.ts';
import { replaceWatchlist } from '../../store/account/watchlists.ts';
import type { Action } from '../answer.ts';
import { shownTextOf, textOf } from '../form-body.ts';
import { accountFault } from '../pages/account.ts';

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
