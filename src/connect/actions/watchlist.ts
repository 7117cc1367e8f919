import { replaceWatchlist } from '../../store/watchlists.ts';
import type { Action } from '../answer.ts';
import { textOf } from '../form-body.ts';
import { accountFault } from '../pages/account-page.ts';

/** Entries stand apart by commas, blanks or lines. */
export const watchlistForm: Action = {
  who: 'account',
  async act(desk, visit, form) {
    const given = { tickers: textOf(form, 'tickers'), ciks: textOf(form, 'ciks') };
    const wanted = { tickers: entriesOf(given.tickers), ciks: entriesOf(given.ciks) };
    const at = new Date().toISOString();
    const replaced = await replaceWatchlist(desk.api.db, visit.session.orgId, wanted, at);
    if (replaced.kind === 'saved') return { kind: 'done', notice: 'watchlist' };
    const message = replaced.faults
      .slice(0, 5)
      .map((fault) => fault.message)
      .join('; ');
    const field = replaced.faults[0]?.field ?? 'tickers';
    return accountFault(desk, visit, { form: 'watchlist', field, message: `Not saved: ${message}.`, given });
  },
};

function entriesOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((entry) => entry !== '');
}
