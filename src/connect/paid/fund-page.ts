import type { z } from 'zod';
import { fund, fundBody } from '../../api/endpoints/fund.ts';
import { holdings, holdingsBody } from '../../api/endpoints/holdings.ts';
import { named, usdOfCents } from '../../site/brief/wording.ts';
import { type Html, html } from '../../site/html.ts';
import { page } from '../../site/page.ts';
import { tableOf } from '../../site/table.ts';
import { changeCell, csvLink, doubtBadge, type Opened, pageOfCalls, reportLink } from './offer.ts';

type FundData = z.output<typeof fundBody>['data'];
type HoldingsData = z.output<typeof holdingsBody>['data'];

export const FUND_PAGE = pageOfCalls({ calls: [fund, holdings], table: holdings }, fundPage, {
  name: 'page.fund',
  title: 'Holdings and filings',
  shows:
    'The hundred largest positions of the latest report, what changed since the report before, and every filing.',
});

/** @param bodies of the fund and its holdings */
function fundPage(bodies: readonly unknown[], opened: Opened): string {
  const { data } = fundBody.parse(bodies[0]);
  const held = holdingsBody.parse(bodies[1]).data;
  const manager = data.manager === null ? null : html`, ${data.manager}`;
  const body = html`<p class="eyebrow">Quarter ended ${held.filing.quarter_end}</p>
<h1>${named(data.name)}</h1>
<p class="lead">${data.holdings_count} equity positions, assets under management ${usdOfCents(data.aum_cents)}${manager}.${doubtBadge(held.filing.quality)}</p>
${holdingsSection(held, opened)}
${filingsSection(data)}`;
  return page({
    title: named(data.name),
    description: `What ${named(data.name)} holds.`,
    path: opened.path,
    body,
    scripted: true,
  });
}

function holdingsSection(
  { fund: { cik }, holdings: rows, filing, pagination }: HoldingsData,
  opened: Opened,
): Html {
  const isCut = pagination.total > rows.length;
  const count = isCut ? `The ${rows.length} largest of ${pagination.total} rows.` : 'Every row.';
  const compared = filing.comparison_available ? '' : ' No report of the quarter before can be compared.';
  return html`<section aria-labelledby="holdings">
<h2 id="holdings">Holdings</h2>
<p>${csvLink(opened)}</p>
${tableOf({
  name: 'Positions',
  caption: `${count}${compared}`,
  columns: [
    { title: 'Security' },
    ...['Shares', 'Value', 'Of the portfolio', 'Change'].map((title) => ({ title, isNumber: true })),
  ],
  rows: rows.map((row) => holdingRow(row, cik)),
  isSortable: true,
})}
</section>`;
}

function holdingRow(row: HoldingsData['holdings'][number], cik: string) {
  const { ticker, issuer, cusip, shares, value_cents, weight_pct, evidence_ids } = row;
  const name =
    ticker === null
      ? named(issuer)
      : html`<a href="/stocks/${encodeURIComponent(ticker)}">${named(issuer)}</a>`;
  return [
    { content: html`${name}<span class="below">${ticker ?? `CUSIP ${cusip}`}</span>`, sort: issuer },
    { content: reportLink(cik, evidence_ids, shares), sort: shares },
    { content: usdOfCents(value_cents), sort: value_cents },
    { content: `${weight_pct.toFixed(2)} %`, sort: weight_pct },
    changeCell(row),
  ];
}

function filingsSection({ filings }: FundData): Html {
  return html`<section aria-labelledby="filings">
<h2 id="filings">Filings</h2>
${tableOf({
  name: 'Filings of the manager',
  columns: [
    { title: 'Quarter' },
    { title: 'Form', isShort: true },
    { title: 'Filed', isShort: true },
    { title: 'Value', isNumber: true },
  ],
  rows: filings.map(filingRow),
})}
</section>`;
}

function filingRow(filing: FundData['filings'][number]) {
  const { source_url, form_type, quarter_end, filed_at, value_cents, superseded_by, quality } = filing;
  const replaced =
    superseded_by === null ? null : html`<span class="below">replaced by ${superseded_by}</span>`;
  return [
    html`<span class="nowrap">${quarter_end}</span>`,
    html`<a class="nowrap" href="${source_url}">${form_type}</a>${replaced}`,
    html`<span class="nowrap">${filed_at.slice(0, 10)}</span>`,
    html`${usdOfCents(value_cents)}${doubtBadge(quality)}`,
  ];
}
