import { sha256Hex } from '../../domain/canonical.ts';
import { type OwnershipRow, sourceUrl } from '../../domain/filing/filing.ts';
import type { Accession, Ticker } from '../../domain/ids.ts';
import { formSecurity, reportingOwnerItem } from '../../domain/insider/item.ts';
import { fieldOfElement } from '../../domain/insider/kind.ts';
import { rowIdOf } from '../../domain/insider/trade.ts';
import { type FoundForm4, findForm4 } from '../../read/trade/prices.ts';
import { tickersOfForms } from '../../store/security/securities.ts';
import type { StoredTrade } from '../../store/trade/trades.ts';
import { defineEndpoint, type Outcome, refusal } from '../endpoint/endpoint.ts';
import { accessionParam } from '../endpoint/param.ts';
import { type FilingData, filingBody } from './filing-shape.ts';

export const filing = defineEndpoint({
  name: 'filing.get',
  path: '/filing/{accession}',
  title: 'Form 4 filing',
  summary: 'One Form 4 or 4/A: every row of both tables, its owners, footnotes and provenance',
  description:
    'Rows are in the order of the form. `/insider/transactions` excludes a transaction that an amendment replaced, that repeats one of another filing, or that cannot be used; here it is shown, with the reason in `quality`. `superseded_by` of a row is the newest amendment that restates it; that of the filing is the newest amendment that restates any of its rows. Rows with a null `superseded_by` are still valid. `footnote_refs` links footnotes to values.',
  details:
    'A filing that is unknown, was filed after the as-of date, or could not be read is 404 `filing_not_found`, and the message names the cause. A 13F is 404 `unsupported_form`. The answer has an `ETag` of its content.',
  example: { accession: '0000899243-23-014128' },
  digest: {
    facts: [
      'accession_number',
      'form_type',
      'filed_at',
      'issuer',
      'owners.name',
      'owners.roles',
      'is_10b5_1',
      'superseded_by',
      'remarks',
    ],
    rows: {
      at: 'non_derivative_transactions',
      columns: [
        'transaction_id',
        'transaction_date',
        'code',
        'side',
        'kind',
        'shares',
        'price_per_share',
        'value_usd',
        'shares_owned_after',
      ],
    },
  },
  credits: 1,
  conditional: true,
  params: { accession: accessionParam },
  query: {},
  output: filingBody,
  errors: ['filing_not_found', 'unsupported_form'],
  async handler({ db }, { accession }) {
    const found = await findForm4(db, accession);
    if (found.kind !== 'found') return notFound(accession, found);
    const [ticker] = await tickersOfForms(db, [formSecurity(found.ownership)]);
    const body = { data: dataOf(found, ticker ?? '') };
    return { kind: 'body', body, etag: `W/"${sha256Hex(JSON.stringify(body))}"` };
  },
});

type Form4 = Extract<FoundForm4, { kind: 'found' }>;

function notFound(accession: Accession, found: Exclude<FoundForm4, Form4>): Outcome<never> {
  const missing = (message: string) => refusal('filing_not_found', message);
  switch (found.kind) {
    case 'other_form': {
      const message = `Filing ${accession} is a ${found.form}; only Forms 4 and 4/A are shown here.`;
      return refusal('unsupported_form', message);
    }
    case 'unreadable':
      return missing(`Filing ${accession} is known but could not be read.`);
    case 'unread':
      return missing(`Filing ${accession} is known but not read yet. Try again in a moment.`);
    case 'unknown':
      return missing(`No Form 4 with the accession number ${accession} is known.`);
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

function rowsOf({ ownership, trades }: Form4, ticker: Ticker | '') {
  const { rows, header } = ownership;
  const tabled = (table: OwnershipRow['table'], kind: OwnershipRow['rowKind']) =>
    rows.filter((row) => row.table === table && row.rowKind === kind);
  const transactions = (table: OwnershipRow['table']) =>
    tabled(table, 'transaction').flatMap((row) => {
      const trade = trades.get(rowIdOf(header.accession, row));
      return trade === undefined ? [] : [{ row, item: transactionItem(trade, row, ticker) }];
    });
  return {
    non_derivative_transactions: transactions('non_derivative').map(({ item }) => item),
    non_derivative_holdings: tabled('non_derivative', 'holding').map(holdingItem),
    derivative_transactions: transactions('derivative').map(({ item, row }) => ({
      ...item,
      ...derivativeTerms(row),
    })),
    derivative_holdings: tabled('derivative', 'holding').map((row) => ({
      ...holdingItem(row),
      ...derivativeTerms(row),
    })),
  };
}

/** A transaction as in the list, with the members that only the filing shows. */
function transactionItem({ item, supersededBy }: StoredTrade, row: OwnershipRow, ticker: Ticker | '') {
  return {
    ...item,
    issuer: { ...item.issuer, ticker },
    deemed_execution_date: row.deemedExecutionDate,
    equity_swap: row.equitySwap,
    nature_of_ownership: row.natureOfOwnership,
    footnote_refs: footnoteRefs(row),
    superseded_by: supersededBy,
  };
}

function holdingItem(row: OwnershipRow) {
  return {
    row: Number(row.row),
    security_title: row.securityTitle,
    shares_owned: row.sharesOwnedAfter,
    ownership: row.ownership,
    nature_of_ownership: row.natureOfOwnership,
    footnote_refs: footnoteRefs(row),
  };
}

function derivativeTerms(row: OwnershipRow) {
  return {
    underlying: { title: row.underlyingTitle, shares: row.underlyingShares },
    conversion_or_exercise_price: row.conversionOrExercisePrice,
    exercise_date: row.exerciseDate,
    expiration_date: row.expirationDate,
  };
}

/** In the order of the form. */
function footnoteRefs(row: OwnershipRow) {
  return Object.entries(row.footnoteIds).map(([element, ids]) => ({
    field: fieldOfElement(element, row.rowKind),
    footnote_ids: [...ids],
  }));
}
