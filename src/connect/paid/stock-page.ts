import type { z } from 'zod';
import { stock, stockBody } from '../../api/endpoints/stock.ts';
import { historyBody, stockHistory } from '../../api/endpoints/stock-history.ts';
import { grouped } from '../../domain/brief/words/numbers.ts';
import { named, usdOfCents } from '../../site/brief/wording.ts';
import { type Html, html } from '../../site/html.ts';
import { page } from '../../site/page.ts';
import { changeCells, reportLink } from './change-cells.ts';
import { historySection } from './history-chart.ts';
import { pageOfCalls } from './offer.ts';

type StockData = z.output<typeof stockBody>['data'];

export const STOCK_PAGE = pageOfCalls([stock, stockHistory], stockPage, {
  name: 'page.stock',
  title: 'Holders and history',
  shows:
    'The tracked managers that hold the stock, what each changed, and the last eight quarters as a chart.',
});

/** @param bodies of owners and history */
function stockPage(bodies: readonly unknown[], path: string): string {
  const { data } = stockBody.parse(bodies[0]);
  const { quarters } = historyBody.parse(bodies[1]).data;
  const { entity, totals } = data;
  const body = html`<p class="eyebrow">Quarter ended ${data.quarter_end}</p>
<h1>${entity.name} <span class="soft">${entity.ticker}</span></h1>
<p class="lead">${totals.holders} tracked managers hold ${grouped(totals.shares)} shares worth ${usdOfCents(totals.value_cents)}.</p>
${historySection(quarters)}
${holdersSection(data)}`;
  return page({
    title: `${entity.ticker}: holders`,
    description: `Who holds ${entity.name}.`,
    path,
    body,
    scripted: true,
  });
}

function holdersSection({ owners, pagination }: StockData): Html {
  const isCut = pagination.total > owners.length;
  const rows = isCut ? `The ${owners.length} largest of ${pagination.total} rows.` : 'Every row.';
  return html`<section aria-labelledby="holders">
<h2 id="holders">Holders</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="holders"><table data-sortable>
<caption>${rows} A count of shares leads to the report that it is from.</caption>
<thead><tr><th scope="col">Manager</th><th scope="col" class="number">Shares</th><th scope="col" class="number">Value</th><th scope="col" class="number">Of its portfolio</th><th scope="col" class="number">Change</th></tr></thead>
<tbody>${owners.map(holderRow)}</tbody>
</table></div>
</section>`;
}

function holderRow(row: StockData['owners'][number]): Html {
  const { fund, shares, value_cents, weight_pct, stale, quarter_end, evidence_ids } = row;
  const carried = stale ? html`<span class="below">carried forward from ${quarter_end}</span>` : null;
  return html`<tr>
<th scope="row" data-sort="${fund.name}"><a href="/funds/${fund.cik}">${named(fund.name)}</a>${carried}</th>
<td class="number" data-sort="${shares}">${reportLink(fund.cik, evidence_ids, shares)}</td>
<td class="number" data-sort="${value_cents}">${usdOfCents(value_cents)}</td>
<td class="number" data-sort="${weight_pct}">${weight_pct.toFixed(2)} %</td>
${changeCells(row)}
</tr>`;
}
