import { sha256Hex } from '../../domain/canonical.ts';
import { sourceUrl } from '../../domain/filing/edgar-url.ts';
import type { Accession, Ticker } from '../../domain/ids.ts';
import { reportingOwnerItem } from '../../domain/insider/item.ts';
import { rowIdOf } from '../../domain/insider/trade.ts';
import { normaliseSymbol } from '../../domain/security/symbol.ts';
import { type FoundForm4, findForm4 } from '../../read/trade/form4.ts';
import { onlyTickers } from '../../store/security/issuer-tickers.ts';
import type { StoredTrade } from '../../store/trade/trades.ts';
import { defineEndpoint, type Outcome, refusal } from '../endpoint/endpoint.ts';
import { accessionParam } from '../endpoint/param.ts';
import { derivativeHoldingRow, derivativeRow, holdingRow, transactionRow } from './filing-row.ts';
import { type FilingData, filingBody } from './filing-shape.ts';

export const filing = defineEndpoint({
  name: 'filing.get',
  path: '/filing/{accession}',
  title: 'Form 4 filing',
  summary: 'One Form 4 or 4/A: every row of both tables, its owners, footnotes and provenance',
  description:
    'Rows are in the order of the form. `/insider/transactions` excludes a transaction that an amendment replaced, that repeats one of another filing, or that cannot be used; here it is shown, with the reason in `quality`. `superseded_by` of a row is the newest amendment that restates it; that of the filing is the newest amendment that restates any of its rows. Rows with a null `superseded_by` are still valid. `footnote_refs` links footnotes to values.\n\nA filing that is unknown, was filed after the as-of date, or could not be read is 404 `filing_not_found`, and the message names the cause. A 13F is 404 `unsupported_form`. The answer has an `ETag` of its content.',
  example: { accession: '0001494730-18-000005' },
  credits: 1,
  conditional: true,
  params: { accession: accessionParam },
  query: {},
  output: filingBody,
  errors: ['filing_not_found', 'unsupported_form'],
  async handler({ db }, { accession }) {
    const found = await findForm4(db, accession);
    if (found.kind !== 'found') return notFound(accession, found);
    const { cik, symbol } = found.ownership.issuer;
    const ticker = normaliseSymbol(symbol) ?? (await onlyTickers(db, [cik])).get(cik) ?? '';
    const body = { data: dataOf(found, ticker) };
    return { kind: 'body', body, etag: `"${sha256Hex(JSON.stringify(body))}"` };
  },
});

type Form4 = Extract<FoundForm4, { kind: 'found' }>;

function notFound(accession: Accession, found: Exclude<FoundForm4, Form4>): Outcome<never> {
  if (found.kind === 'other_form') {
    const message = `Filing ${accession} is a ${found.form}; only Forms 4 and 4/A are shown here.`;
    return refusal('unsupported_form', message);
  }
  return refusal('filing_not_found', reasonOf(accession, found.kind));
}

function reasonOf(accession: Accession, kind: 'unreadable' | 'unread' | 'unknown'): string {
  switch (kind) {
    case 'unreadable':
      return `Filing ${accession} is known but could not be read.`;
    case 'unread':
      return `Filing ${accession} is known but not read yet. Try again in a moment.`;
    case 'unknown':
      return `No Form 4 with the accession number ${accession} is known.`;
  }
}

function dataOf(found: Form4, ticker: Ticker | ''): FilingData {
  const { doc, ownership } = found;
  const { header, issuer } = ownership;
  return {
    accession_number: header.accession,
    form_type: ownership.isAmendment ? '4/A' : '4',
    period_of_report: ownership.periodOfReport,
    filed_at: header.acceptedAt ?? header.filedDate,
    issuer: { cik: issuer.cik, name: issuer.name, ticker },
    owners: ownership.owners.map(reportingOwnerItem),
    is_10b5_1: ownership.is10b51,
    not_subject_to_section_16: ownership.notSubjectToSection16,
    ...rowsOf(found, ticker),
    footnotes: ownership.footnotes.map(({ id, text }) => ({ id, text })),
    remarks: ownership.remarks,
    raw_hash: doc.parsedRaw === null ? null : `sha256:${doc.parsedRaw}`,
    parser_version: doc.parserVersion ?? '',
    retrieved_at: doc.retrievedAt,
    superseded_by: found.supersededBy,
    source_url: sourceUrl(issuer.cik, header.accession),
  };
}

type Rows = Pick<
  FilingData,
  | 'non_derivative_transactions'
  | 'non_derivative_holdings'
  | 'derivative_transactions'
  | 'derivative_holdings'
>;

function rowsOf({ ownership, trades }: Form4, ticker: Ticker | ''): Rows {
  const { rows, header } = ownership;
  const tabled = (table: 'non_derivative' | 'derivative', kind: 'transaction' | 'holding') =>
    rows.filter((row) => row.table === table && row.rowKind === kind);
  const traded = (row: (typeof rows)[number]): StoredTrade[] => {
    const trade = trades.get(rowIdOf(header.accession, row));
    return trade === undefined ? [] : [withTicker(trade, ticker)];
  };
  return {
    non_derivative_transactions: tabled('non_derivative', 'transaction').flatMap((row) =>
      traded(row).map((trade) => transactionRow(trade, row)),
    ),
    non_derivative_holdings: tabled('non_derivative', 'holding').map(holdingRow),
    derivative_transactions: tabled('derivative', 'transaction').flatMap((row) =>
      traded(row).map((trade) => derivativeRow(trade, row)),
    ),
    derivative_holdings: tabled('derivative', 'holding').map(derivativeHoldingRow),
  };
}

function withTicker(trade: StoredTrade, ticker: Ticker | ''): StoredTrade {
  return { ...trade, item: { ...trade.item, issuer: { ...trade.item.issuer, ticker } } };
}
