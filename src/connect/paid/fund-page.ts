import type { z } from 'zod';
import { fund, fundBody } from '../../api/endpoints/fund.ts';
import { holdings, holdingsBody } from '../../api/endpoints/holdings.ts';
import { named, usdOfCents } from '../../site/brief/wording.ts';
import { type Html, html } from '../../site/html.ts';
import { page } from '../../site/page.ts';
import { changeCells, reportLink } from './change-cells.ts';
import { pageOfCalls } from './offer.ts';

type FundData = z.output<typeof fundBody>['data'];
type HoldingsData = z.output<typeof holdingsBody>['data'];

export const FUND_PAGE = pageOfCalls([fund, holdings], fundPage, {
  name: 'page.fund',
  title: 'Holdings and filings',
  shows:
    'The hundred largest positions of the latest report, what changed since the report before, and every filing.',
});

/** @param bodies of the fund and its holdings */
function fundPage(bodies: readonly unknown[], path: string): string {
  const { data } = fundBody.parse(bodies[0]);
  const held = holdingsBody.parse(bodies[1]).data;
  const manager = data.manager === null ? null : html`, ${data.manager}`;
  const body = html`<p class="eyebrow">Quarter ended ${held.filing.quarter_end}</p>
<h1>${named(data.name)}</h1>
<p class="lead">${data.holdings_count} equity positions worth ${usdOfCents(data.aum_cents)}${manager}.</p>
${holdingsSection(held, data.cik)}
${filingsSection(data)}`;
  return page({
    title: named(data.name),
    description: `What ${named(data.name)} holds.`,
    path,
    body,
    scripted: true,
  });
}

function holdingsSection({ holdings: rows, filing, pagination }: HoldingsData, cik: string): Html {
  const isCut = pagination.total > rows.length;
  const count = isCut ? `The ${rows.length} largest of ${pagination.total} rows.` : 'Every row.';
  const compared = filing.comparison_available ? '' : ' No report of the quarter before can be compared.';
  return html`<section aria-labelledby="holdings">
<h2 id="holdings">Holdings</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="holdings"><table data-sortable>
<caption>${count}${compared}</caption>
<thead><tr><th scope="col">Security</th><th scope="col" class="number">Shares</th><th scope="col" class="number">Value</th><th scope="col" class="number">Of the portfolio</th><th scope="col" class="number">Change</th></tr></thead>
<tbody>${rows.map((row) => holdingRow(row, cik))}</tbody>
</table></div>
</section>`;
}

function holdingRow(row: HoldingsData['holdings'][number], cik: string): Html {
  const { ticker, issuer, cusip, shares, value_cents, weight_pct, evidence_ids } = row;
  const name =
    ticker === null
      ? named(issuer)
      : html`<a href="/stocks/${encodeURIComponent(ticker)}">${named(issuer)}</a>`;
  return html`<tr>
<th scope="row" data-sort="${issuer}">${name}<span class="below">${ticker ?? `CUSIP ${cusip}`}</span></th>
<td class="number" data-sort="${shares}">${reportLink(cik, evidence_ids, shares)}</td>
<td class="number" data-sort="${value_cents}">${usdOfCents(value_cents)}</td>
<td class="number" data-sort="${weight_pct}">${weight_pct.toFixed(2)} %</td>
${changeCells(row)}
</tr>`;
}

function filingsSection({ filings }: FundData): Html {
  const rows = filings.map(
    ({ source_url, form_type, quarter_end, filed_at, value_cents, superseded_by }) => html`<tr>
<th scope="row" class="nowrap">${quarter_end}</th>
<td><a href="${source_url}">${form_type}</a>${superseded_by === null ? null : html`<span class="below">replaced by ${superseded_by}</span>`}</td>
<td class="nowrap">${filed_at.slice(0, 10)}</td>
<td class="number">${usdOfCents(value_cents)}</td>
</tr>`,
  );
  return html`<section aria-labelledby="filings">
<h2 id="filings">Filings</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="filings"><table>
<thead><tr><th scope="col">Quarter</th><th scope="col">Form</th><th scope="col">Filed</th><th scope="col" class="number">Value</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>
</section>`;
}
