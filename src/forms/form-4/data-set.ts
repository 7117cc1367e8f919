import type { FilingHeader, Ownership, OwnershipRow, ReportingOwner } from '../../domain/filing/filing.ts';
import { parseCik } from '../../domain/ids.ts';
import { plainDecimal } from '../../domain/insider/identity.ts';
import {
  type Columns,
  type DataSetFiling,
  type DataSetFormat,
  type DataSetRecord,
  dataSetDay,
  recordsIn,
} from '../data-set.ts';
import {
  acquiredDisposedOf,
  codeOf,
  fieldReader,
  ownershipOf,
  swapOf,
  withUnreadable,
} from '../ownership/row.ts';
import { ParseError, unreadable } from '../parse-error.ts';
import { decimalOf, flagOf, squeeze } from '../value.ts';

/** The four tables of rows. The SEC numbers the rows of each in the order of the document. */
const ROW_TABLES = [
  { name: 'NONDERIV_TRANS', table: 'non_derivative', rowKind: 'transaction' },
  { name: 'NONDERIV_HOLDING', table: 'non_derivative', rowKind: 'holding' },
  { name: 'DERIV_TRANS', table: 'derivative', rowKind: 'transaction' },
  { name: 'DERIV_HOLDING', table: 'derivative', rowKind: 'holding' },
] as const;

type RowTable = (typeof ROW_TABLES)[number];

/** Columns with footnotes (`<column>_FN`) by the element that has them, in the order of the document. */
const FOOTNOTED = Object.entries({
  SECURITY_TITLE: 'securityTitle',
  CONV_EXERCISE_PRICE: 'conversionOrExercisePrice',
  TRANS_DATE: 'transactionDate',
  DEEMED_EXECUTION_DATE: 'deemedExecutionDate',
  EQUITY_SWAP_TRANS_CD: 'transactionCoding',
  TRANS_TIMELINESS: 'transactionTimeliness',
  TRANS_SHARES: 'transactionShares',
  TRANS_TOTAL_VALUE: 'transactionTotalValue',
  TRANS_PRICEPERSHARE: 'transactionPricePerShare',
  TRANS_ACQUIRED_DISP_CD: 'transactionAcquiredDisposedCode',
  // Spelled so in DERIV_TRANS, and as it should be in DERIV_HOLDING.
  EXCERCISE_DATE: 'exerciseDate',
  EXERCISE_DATE: 'exerciseDate',
  EXPIRATION_DATE: 'expirationDate',
  UNDLYNG_SEC_TITLE: 'underlyingSecurityTitle',
  UNDLYNG_SEC_SHARES: 'underlyingSecurityShares',
  UNDLYNG_SEC_VALUE: 'underlyingSecurityValue',
  SHRS_OWND_FOLWNG_TRANS: 'sharesOwnedFollowingTransaction',
  VALU_OWND_FOLWNG_TRANS: 'valueOwnedFollowingTransaction',
  DIRECT_INDIRECT_OWNERSHIP: 'directOrIndirectOwnership',
  NATURE_OF_OWNERSHIP: 'natureOfOwnership',
});

const TITLE_AND_OWNERSHIP = ['SECURITY_TITLE', 'SHRS_OWND_FOLWNG_TRANS', 'DIRECT_INDIRECT_OWNERSHIP'];
const TRANSACTION = [
  ...['TRANS_DATE', 'TRANS_CODE', 'EQUITY_SWAP_INVOLVED', 'TRANS_SHARES', 'TRANS_PRICEPERSHARE'],
  'TRANS_ACQUIRED_DISP_CD',
];

/**
 * The insider transactions data sets: one for each quarter of filing dates since 2006, with Forms 3, 4 and
 * 5. Their amounts have two decimals; a document may have more (rule 6.1).
 */
export const form4DataSet: DataSetFormat = {
  form: '4',
  parserVersion: 'form4-tsv-1',
  tables: {
    SUBMISSION: [
      ...['ACCESSION_NUMBER', 'FILING_DATE', 'PERIOD_OF_REPORT', 'DATE_OF_ORIG_SUB', 'DOCUMENT_TYPE'],
      ...['ISSUERCIK', 'ISSUERNAME', 'ISSUERTRADINGSYMBOL'],
    ],
    REPORTINGOWNER: ['ACCESSION_NUMBER', 'RPTOWNERCIK', 'RPTOWNERNAME', 'RPTOWNER_RELATIONSHIP'],
    NONDERIV_TRANS: ['ACCESSION_NUMBER', 'NONDERIV_TRANS_SK', ...TITLE_AND_OWNERSHIP, ...TRANSACTION],
    NONDERIV_HOLDING: ['ACCESSION_NUMBER', 'NONDERIV_HOLDING_SK', ...TITLE_AND_OWNERSHIP],
    DERIV_TRANS: ['ACCESSION_NUMBER', 'DERIV_TRANS_SK', ...TITLE_AND_OWNERSHIP, ...TRANSACTION],
    DERIV_HOLDING: ['ACCESSION_NUMBER', 'DERIV_HOLDING_SK', ...TITLE_AND_OWNERSHIP],
    FOOTNOTES: ['ACCESSION_NUMBER', 'FOOTNOTE_ID', 'FOOTNOTE_TXT'],
  },
  streamed: null,
  header: headerOf,
  read: readForm4,
};

function readForm4(filing: DataSetFiling, columns: Columns): Ownership {
  const header = headerOf(filing, columns);
  const submission = submissionOf(filing, columns);
  const text = (column: string): string | null => textIn(submission, column);
  const issuerCik = parseCik(text('ISSUERCIK') ?? '');
  if (issuerCik === null) throw unreadable('ISSUERCIK', text('ISSUERCIK'));
  const owners = recordsIn('REPORTINGOWNER', filing, columns).map(ownerOf);
  if (owners.length === 0) throw unreadable('REPORTINGOWNER', null);
  return {
    kind: 'ownership',
    header,
    isAmendment: header.form.endsWith('/A'),
    schemaVersion: null,
    issuer: {
      cik: issuerCik,
      name: squeeze(text('ISSUERNAME') ?? ''),
      symbol: text('ISSUERTRADINGSYMBOL') ?? '',
    },
    periodOfReport: header.periodOfReport,
    dateOfOriginalSubmission: dataSetDay('DATE_OF_ORIG_SUB', text('DATE_OF_ORIG_SUB')),
    // Some editions have no such column: then it is unknown, as before April 2023.
    is10b51: flagOf('AFF10B5ONE', text('AFF10B5ONE')),
    notSubjectToSection16: flagOf('NOT_SUBJECT_SEC16', text('NOT_SUBJECT_SEC16')),
    owners,
    rows: [...rowsOf('non_derivative', filing, columns), ...rowsOf('derivative', filing, columns)],
    footnotes: footnotesOf(filing, columns),
    remarks: text('REMARKS') ?? '',
  };
}

function headerOf(filing: DataSetFiling, columns: Columns): FilingHeader {
  const submission = submissionOf(filing, columns);
  const form = textIn(submission, 'DOCUMENT_TYPE');
  const cik = parseCik(textIn(submission, 'ISSUERCIK') ?? '');
  const filedDate = dataSetDay('FILING_DATE', textIn(submission, 'FILING_DATE'));
  if (form === null || cik === null || filedDate === null) {
    throw new ParseError('header_invalid', 'SUBMISSION lacks form, issuer or filing date');
  }
  const name = squeeze(textIn(submission, 'ISSUERNAME') ?? '');
  return {
    accession: filing.accession,
    form,
    filedDate,
    acceptedAt: null,
    periodOfReport: dataSetDay('PERIOD_OF_REPORT', textIn(submission, 'PERIOD_OF_REPORT')),
    filers: [{ role: 'issuer', cik, name, fileNumber: null }],
  };
}

function submissionOf(filing: DataSetFiling, columns: Columns): DataSetRecord {
  return recordsIn('SUBMISSION', filing, columns)[0] ?? new Map();
}

/** These tables are quoted, unlike those of Form 13F: a text with a quote is `"say ""A"""`. */
function textIn(record: DataSetRecord, column: string): string | null {
  const text = record.get(column) ?? null;
  const [, quoted] = /^"((?:[^"]|"")*)"$/.exec(text ?? '') ?? [];
  return quoted === undefined ? text : quoted.replaceAll('""', '"').trim() || null;
}

/** `Director,Officer,TenPercentOwner`. */
function ownerOf(record: DataSetRecord): ReportingOwner {
  const cik = parseCik(textIn(record, 'RPTOWNERCIK') ?? '');
  if (cik === null) throw unreadable('RPTOWNERCIK', textIn(record, 'RPTOWNERCIK'));
  const relations = (textIn(record, 'RPTOWNER_RELATIONSHIP') ?? '').toLowerCase().split(/[\s,]+/);
  return {
    cik,
    name: squeeze(textIn(record, 'RPTOWNERNAME') ?? ''),
    isDirector: relations.includes('director'),
    isOfficer: relations.includes('officer'),
    isTenPercentOwner: relations.includes('tenpercentowner'),
    isOther: relations.includes('other'),
    officerTitle: textIn(record, 'RPTOWNER_TITLE'),
  };
}

/** Transactions before holdings: their order in the document is lost where it was another one. */
function rowsOf(table: OwnershipRow['table'], filing: DataSetFiling, columns: Columns): OwnershipRow[] {
  const entries = ROW_TABLES.filter((one) => one.table === table).flatMap((place) =>
    inOrder(`${place.name}_SK`, recordsIn(place.name, filing, columns)).map((record) => ({ record, place })),
  );
  return entries.map(({ record, place }, at) => rowOf(record, place, at + 1));
}

function inOrder(key: string, records: readonly DataSetRecord[]): DataSetRecord[] {
  return [...records].sort((a, b) => Number(a.get(key)) - Number(b.get(key)));
}

function rowOf(record: DataSetRecord, { table, rowKind }: RowTable, row: number): OwnershipRow {
  const text = (column: string): string | null => textIn(record, column);
  const { read, unreadable } = fieldReader();
  const day = (column: string): OwnershipRow['transactionDate'] =>
    read(() => dataSetDay(column, text(column)));
  const decimal = (column: string): string | null =>
    plainDecimal(read(() => decimalOf(column, text(column)))) || null;
  const values: OwnershipRow = {
    row,
    table,
    rowKind,
    securityTitle: squeeze(text('SECURITY_TITLE') ?? ''),
    transactionDate: day('TRANS_DATE'),
    deemedExecutionDate: day('DEEMED_EXECUTION_DATE'),
    code: read(() => codeOf(text('TRANS_CODE'), rowKind)),
    equitySwap: read(() => swapOf(text('EQUITY_SWAP_INVOLVED'))) ?? false,
    shares: decimal('TRANS_SHARES'),
    pricePerShare: decimal('TRANS_PRICEPERSHARE'),
    acquiredDisposed: read(() => acquiredDisposedOf(text('TRANS_ACQUIRED_DISP_CD'))),
    sharesOwnedAfter: decimal('SHRS_OWND_FOLWNG_TRANS'),
    ownership: read(() => ownershipOf(text('DIRECT_INDIRECT_OWNERSHIP'))),
    natureOfOwnership: text('NATURE_OF_OWNERSHIP'),
    underlyingTitle: text('UNDLYNG_SEC_TITLE'),
    underlyingShares: decimal('UNDLYNG_SEC_SHARES'),
    conversionOrExercisePrice: decimal('CONV_EXERCISE_PRICE'),
    exerciseDate: day('EXCERCISE_DATE') ?? day('EXERCISE_DATE'),
    expirationDate: day('EXPIRATION_DATE'),
    footnoteIds: Object.fromEntries(
      FOOTNOTED.flatMap(([column, element]) => {
        const ids = (text(`${column}_FN`) ?? '').split(/[\s,]+/).filter((id) => id !== '');
        return ids.length === 0 ? [] : [[element, ids.sort(byNumber)] as const];
      }),
    ),
  };
  return withUnreadable(values, unreadable);
}

/** The tables list footnotes in no order: `F11, F2`. */
const byNumber = (a: string, b: string): number => numberOf(a) - numberOf(b);
const numberOf = (id: string): number => Number(/\d+/.exec(id)?.[0] ?? 0);

function footnotesOf(filing: DataSetFiling, columns: Columns): Ownership['footnotes'] {
  const notes = recordsIn('FOOTNOTES', filing, columns).map((record) => ({
    id: textIn(record, 'FOOTNOTE_ID') ?? '',
    text: textIn(record, 'FOOTNOTE_TXT') ?? '',
  }));
  return notes.sort((a, b) => byNumber(a.id, b.id));
}
