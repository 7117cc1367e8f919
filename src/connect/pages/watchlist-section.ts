import { type Html, html } from '../../site/html.ts';
import { MAX_WATCHED, type WatchlistDoc } from '../../store/account/watchlists.ts';
import { type AccountView, fieldFault, formToken, moment } from './fields.ts';

/** The entries that the organisation follows in the stream of events. */
export function watchlistSection(view: AccountView, watchlist: WatchlistDoc): Html {
  const { updatedAt } = watchlist;
  const given = view.fault?.form === 'watchlist' ? view.fault.given : undefined;
  return html`<section aria-labelledby="watchlist">
<h2 id="watchlist">Watchlist</h2>
<p class="soft"><code>/v1/watchlist/poll</code> returns events of these tickers, issuers and insiders. At most ${MAX_WATCHED} of each.${updatedAt === null ? null : html` Saved ${moment(updatedAt)}.`}</p>
<form class="card" method="post" action="/connect/watchlist">
${formToken(view.formToken)}
<div class="columns">
${list(view, { name: 'tickers', label: 'Tickers', hint: 'AAPL, BRK.B', text: given?.['tickers'] ?? watchlist.tickers.join(', ') })}
${list(view, { name: 'ciks', label: 'CIKs', hint: '320193, 1067983', text: given?.['ciks'] ?? watchlist.ciks.join(', ') })}
</div>
<button class="button button-quiet" type="submit">Save the watchlist</button>
</form>
</section>`;
}

type List = {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly text: string;
};

function list(view: AccountView, { name, label, hint, text }: List): Html {
  const { attributes, message } = fieldFault(view.fault, 'watchlist', name, name);
  return html`<div class="field">
<label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="3" maxlength="4000" autocomplete="off" spellcheck="false"${attributes}>
${text}</textarea>
${message}
<p class="hint">Separated by commas or blanks, for example ${hint}</p>
</div>`;
}
