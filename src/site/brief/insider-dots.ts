import { counted, grouped } from '../../domain/brief/words/numbers.ts';
import { DAY_MS } from '../../domain/calendar.ts';
import type { Insiders } from '../../domain/wire/brief.ts';
import type { TransactionItem } from '../../domain/wire/transaction.ts';
import { type Html, html } from '../html.ts';
import { tableOf } from '../table.ts';
import { type Filings, named, proven, usd, words } from './wording.ts';

const WIDTH = 720;
const MARGIN = 16;
const AXIS = 60;
/** Of the largest trade, and of one without a known value. */
const MAX_RADIUS = 15;
const MIN_RADIUS = 4;

/** The open-market trades: dots on the days of the window, and the same as a table. */
export function insidersSection(insiders: Insiders, filings: Filings): Html {
  const { counts, transactions } = insiders;
  const all = counts.buys + counts.sells;
  return html`<section aria-labelledby="insiders">
<h2 id="insiders">Insiders</h2>
<p>${summary(insiders)}</p>
${transactions.length === 0 ? null : tradesOf(insiders, { all, filings })}
</section>`;
}

function summary({ stance, stance_discretionary, counts, window_start, window_end }: Insiders): string {
  const window = `from ${window_start} to ${window_end}`;
  if (counts.buys + counts.sells === 0) return `Direction: ${words(stance)}. No open-market trade ${window}.`;
  const alone =
    stance_discretionary === stance ? '' : ` Discretionary trades alone: ${words(stance_discretionary)}.`;
  const bought = `${counted(counts.buys, 'purchase')} by ${counted(counts.distinct_buyers, 'insider')}`;
  const sold = `${counted(counts.sells, 'sale')} by ${counted(counts.distinct_sellers, 'insider')}`;
  const sides = [counts.buys > 0 && bought, counts.sells > 0 && sold].filter((side) => side !== false);
  return `Direction: ${words(stance)}.${alone} ${sides.join(' and ')} on the open market ${window}.`;
}

type Trades = { readonly all: number; readonly filings: Filings };

function tradesOf(insiders: Insiders, { all, filings }: Trades): Html {
  const { transactions } = insiders;
  const caption =
    transactions.length < all
      ? transactions.length === 1
        ? `The newest of ${all} trades.`
        : `The ${transactions.length} newest of ${all} trades.`
      : 'Every trade.';
  return html`${dots(insiders)}
${tableOf({
  name: 'Trades of insiders',
  caption: `${caption} Dollars are shares times price as filed.`,
  columns: [
    { title: 'Day', isShort: true },
    { title: 'Insider' },
    { title: 'Trade', isShort: true },
    { title: 'Shares', isNumber: true },
    { title: 'Value', isNumber: true },
  ],
  rows: transactions.map((trade) => tradeRow(trade, filings)),
  headAt: 1,
  isSortable: true,
})}`;
}

function tradeRow(trade: TransactionItem, filings: Filings) {
  const { transaction_date, owners, side, kind, shares, value_usd, evidence_ids, pct_of_holding } = trade;
  const who = owners.map(
    ({ name, roles }) => html`${named(name)}<span class="below">${roles.join(', ')}</span>`,
  );
  const part =
    pct_of_holding === null
      ? null
      : html`<span class="below">${pct_of_holding.toFixed(1)} % of the holding</span>`;
  const counted = proven(groupedDecimal(shares), filings.get(evidence_ids[0] ?? ''));
  return [
    html`<span class="nowrap">${transaction_date}</span>`,
    { content: who, sort: owners[0]?.name ?? '' },
    html`${side}${kind === null ? null : html`<span class="below">${words(kind)}</span>`}`,
    { content: html`${counted}${part}`, sort: shares ?? '' },
    { content: usd(value_usd), sort: value_usd ?? 0 },
  ];
}

/** Purchases above the line, sales below, larger with their value. Every dot is a row of the table too. */
function dots({ transactions, window_start, window_end }: Insiders): Html {
  const largest = Math.max(1, ...transactions.map(({ value_usd }) => value_usd ?? 0));
  const days = (Date.parse(window_end) - Date.parse(window_start)) / DAY_MS;
  const marks = transactions.flatMap(({ transaction_date, side, kind, value_usd }) => {
    const day = (Date.parse(transaction_date ?? '') - Date.parse(window_start)) / DAY_MS;
    // A date that was filed wrong has no place here.
    if (!(day >= 0 && day <= days)) return [];
    const x = MARGIN + (day / days) * (WIDTH - 2 * MARGIN);
    const radius = MIN_RADIUS + Math.sqrt((value_usd ?? 0) / largest) * (MAX_RADIUS - MIN_RADIUS);
    const y = side === 'buy' ? AXIS - MAX_RADIUS - 8 : AXIS + MAX_RADIUS + 8;
    return [
      html`<circle class="dot dot-${side} dot-${kind}" cx="${x.toFixed(1)}" cy="${y}" r="${radius.toFixed(1)}"/>`,
    ];
  });
  return html`<figure class="dots">
<svg viewBox="0 0 ${WIDTH} ${2 * AXIS}" role="img" aria-label="The trades on the days of the window; the table below lists them.">
<path class="bar-zero" d="M0 ${AXIS}h${WIDTH}"/>${marks}</svg>
<figcaption><span>${window_start}</span><span class="legend"><span class="key-discretionary">discretionary</span> <span class="key-plan">plan</span> <span class="key-other">tax or exercise</span></span><span>${window_end}</span></figcaption>
</figure>`;
}

/** `1234.5` as `1,234.5`. */
function groupedDecimal(amount: string | null): string {
  if (amount === null) return '–';
  const [whole = '', ...part] = amount.split('.');
  return [grouped(whole), ...part].join('.');
}
