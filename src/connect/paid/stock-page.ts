import type { z } from 'zod';
import { stock, stockBody } from '../../api/endpoints/stock.ts';
import { historyBody, stockHistory } from '../../api/endpoints/stock-history.ts';
import { grouped } from '../../domain/brief/words/numbers.ts';
import { named, usdOfCents } from '../../site/brief/wording.ts';
import { type Html, html } from '../../site/html.ts';
import { page } from '../../site/page.ts';
import { tableOf } from '../../site/table.ts';
import { changeCell, reportLink } from './change-cells.ts';
import { historySection } from './history-chart.ts';
import { csvLink, type Opened, pageOfCalls } from './offer.ts';

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
