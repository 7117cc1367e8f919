import type { z } from 'zod';
import { stock, stockBody } from '../../api/endpoints/stock.ts';
import { historyBody, stockHistory } from '../../api/endpoints/stock-history.ts';
import { grouped } from '../../domain/brief/words/numbers.ts';
import { weightPct } from '../../domain/ratio.ts';
import { named, signedShares, usdOfCents, words } from '../../site/brief/wording.ts';
import { type Html, html } from '../../site/html.ts';
import { page } from '../../site/page.ts';
import { tableOf } from '../../site/table.ts';
import { changeCell, csvLink, type Opened, pageOfCalls, reportLink } from './offer.ts';

type StockData = z.output<typeof stockBody>['data'];

export const STOCK_PAGE = pageOfCalls({ calls: [stock, stockHistory], table: stock }, stockPage, {
  name: 'page.stock',
  title: 'Holders and history',
  shows:
    'The tracked managers that hold the stock, what each changed, and the last eight quarters as a chart.',
});

/** @param bodies of owners and history */
function stockPage(bodies: readonly unknown[], opened: Opened): string {
  const { data } = stockBody.parse(bodies[0]);
  const { quarters } = historyBody.parse(bodies[1]).data;
  const { entity, totals } = data;
  const body = html`<p class="eyebrow">Quarter ended ${data.quarter_end}</p>
<h1>${entity.name} <span class="soft">${entity.ticker}</span></h1>
<p class="lead">${totals.holders === 1 ? '1 tracked manager holds' : `${totals.holders} tracked managers hold`} ${grouped(totals.shares)} shares worth ${usdOfCents(totals.value_cents)}.</p>
${data.limitations.map((sentence) => html`<p>${sentence}</p>`)}
${historySection(quarters)}
${holdersSection(data, opened)}`;
  return page({
    title: `${entity.ticker}: holders`,
    description: `Who holds ${entity.name}.`,
    path: opened.path,
    body,
    scripted: true,
  });
}

function holdersSection({ owners, pagination }: StockData, opened: Opened): Html {
  const isCut = pagination.total > owners.length;
  const rows = isCut ? `The ${owners.length} largest of ${pagination.total} rows.` : 'Every row.';
  return html`<section aria-labelledby="holders">
<h2 id="holders">Holders</h2>
<p>${csvLink(opened)}</p>
${tableOf({
  name: 'Managers that hold it',
  caption: `${rows} A count of shares leads to the report that it is from.`,
  columns: [
    { title: 'Manager' },
    ...['Shares', 'Value', 'Of its portfolio', 'Change'].map((title) => ({ title, isNumber: true })),
  ],
  rows: owners.map(holderRow),
  isSortable: true,
})}
</section>`;
}

function holderRow(row: StockData['owners'][number]) {
  const { fund, shares, value_cents, weight_pct, stale, quarter_end, evidence_ids } = row;
  const carried = stale ? html`<span class="below">carried forward from ${quarter_end}</span>` : null;
  return [
    { content: html`<a href="/funds/${fund.cik}">${named(fund.name)}</a>${carried}`, sort: fund.name },
    { content: reportLink(fund.cik, evidence_ids, shares), sort: shares },
    { content: usdOfCents(value_cents), sort: value_cents },
    { content: `${weight_pct.toFixed(2)} %`, sort: weight_pct },
    changeCell(row),
  ];
}

type Quarter = z.output<typeof historyBody>['data']['quarters'][number];

const WIDTH = 720;
const HEIGHT = 160;
const GAP = 10;
/** So that two quarters do not fill the page. */
const MAX_STEP = 90;

/** The shares that tracked managers held at each quarter end, oldest first, and the same as a table. */
function historySection(newestFirst: readonly Quarter[]): Html {
  const quarters = [...newestFirst].reverse();
  return html`<section aria-labelledby="history">
<h2 id="history">Held by tracked managers</h2>
${quarters.length === 0 ? html`<p>No report of the last quarters has the stock.</p>` : chart(quarters)}
${tableOf({
  name: 'Quarters',
  caption: 'Shares as of today’s count, restated for splits that the filings prove.',
  columns: [
    { title: 'Quarter' },
    ...['Managers', 'Shares', 'Net change'].map((title) => ({ title, isNumber: true })),
    { title: 'Direction' },
  ],
  rows: newestFirst.map(quarterRow),
})}
</section>`;
}

function quarterRow({ quarter_end, holders, shares, net_share_delta, stance, limitations }: Quarter) {
  const lacks = limitations.map((sentence) => html`<span class="below">${sentence}</span>`);
  return [
    html`<span class="nowrap">${quarter_end}</span>`,
    holders,
    grouped(shares),
    signedShares(net_share_delta),
    html`${words(stance)}${lacks}`,
  ];
}

function chart(quarters: readonly Quarter[]): Html {
  const most = quarters.reduce((max, { shares }) => (BigInt(shares) > max ? BigInt(shares) : max), 1n);
  const step = Math.min(MAX_STEP, WIDTH / quarters.length);
  const bars = quarters.map(({ shares }, at) => {
    const height = (weightPct(BigInt(shares), most) * (HEIGHT - GAP)) / 100;
    const x = at * step + GAP / 2;
    return html`<rect class="bar-held" x="${x.toFixed(1)}" y="${(HEIGHT - height).toFixed(1)}" width="${(step - GAP).toFixed(1)}" height="${height.toFixed(1)}"/>`;
  });
  return html`<figure class="dots">
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Shares held at each quarter end; the table below lists them.">${bars}<path class="bar-zero" d="M0 ${HEIGHT}h${step * quarters.length}"/></svg>
<figcaption><span>${quarters[0]?.quarter_end} to ${quarters.at(-1)?.quarter_end}</span></figcaption>
</figure>`;
}
