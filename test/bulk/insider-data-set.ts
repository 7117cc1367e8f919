import type { Ownership, OwnershipRow, ReportingOwner } from '../../src/domain/filing/filing.ts';
import { type Heads, type Line, printed, writeTables } from './tables.ts';

/** The columns of the data set of 2024Q3; those of tables that it lacks are in the SEC's description. */
export const HEADS: Heads = {
  SUBMISSION: words(
    'ACCESSION_NUMBER FILING_DATE PERIOD_OF_REPORT DATE_OF_ORIG_SUB NO_SECURITIES_OWNED NOT_SUBJECT_SEC16 FORM3_HOLDINGS_REPORTED FORM4_TRANS_REPORTED DOCUMENT_TYPE ISSUERCIK ISSUERNAME ISSUERTRADINGSYMBOL REMARKS AFF10B5ONE',
  ),
  REPORTINGOWNER: words(
    'ACCESSION_NUMBER RPTOWNERCIK RPTOWNERNAME RPTOWNER_RELATIONSHIP RPTOWNER_TITLE RPTOWNER_TXT RPTOWNER_STREET1 RPTOWNER_CITY FILE_NUMBER',
  ),
  NONDERIV_TRANS: words(
    'ACCESSION_NUMBER NONDERIV_TRANS_SK SECURITY_TITLE SECURITY_TITLE_FN TRANS_DATE TRANS_DATE_FN DEEMED_EXECUTION_DATE DEEMED_EXECUTION_DATE_FN TRANS_FORM_TYPE TRANS_CODE EQUITY_SWAP_INVOLVED EQUITY_SWAP_TRANS_CD_FN TRANS_TIMELINESS TRANS_TIMELINESS_FN TRANS_SHARES TRANS_SHARES_FN TRANS_PRICEPERSHARE TRANS_PRICEPERSHARE_FN TRANS_ACQUIRED_DISP_CD TRANS_ACQUIRED_DISP_CD_FN SHRS_OWND_FOLWNG_TRANS SHRS_OWND_FOLWNG_TRANS_FN VALU_OWND_FOLWNG_TRANS VALU_OWND_FOLWNG_TRANS_FN DIRECT_INDIRECT_OWNERSHIP DIRECT_INDIRECT_OWNERSHIP_FN NATURE_OF_OWNERSHIP NATURE_OF_OWNERSHIP_FN',
  ),
  NONDERIV_HOLDING: words(
    'ACCESSION_NUMBER NONDERIV_HOLDING_SK SECURITY_TITLE SECURITY_TITLE_FN TRANS_FORM_TYPE TRANS_FORM_TYPE_FN SHRS_OWND_FOLWNG_TRANS SHRS_OWND_FOLWNG_TRANS_FN VALU_OWND_FOLWNG_TRANS VALU_OWND_FOLWNG_TRANS_FN DIRECT_INDIRECT_OWNERSHIP DIRECT_INDIRECT_OWNERSHIP_FN NATURE_OF_OWNERSHIP NATURE_OF_OWNERSHIP_FN',
  ),
  DERIV_TRANS: words(
    'ACCESSION_NUMBER DERIV_TRANS_SK SECURITY_TITLE SECURITY_TITLE_FN CONV_EXERCISE_PRICE CONV_EXERCISE_PRICE_FN TRANS_DATE TRANS_DATE_FN DEEMED_EXECUTION_DATE DEEMED_EXECUTION_DATE_FN TRANS_FORM_TYPE TRANS_CODE EQUITY_SWAP_INVOLVED EQUITY_SWAP_TRANS_CD_FN TRANS_TIMELINESS TRANS_TIMELINESS_FN TRANS_SHARES TRANS_SHARES_FN TRANS_TOTAL_VALUE TRANS_TOTAL_VALUE_FN TRANS_PRICEPERSHARE TRANS_PRICEPERSHARE_FN TRANS_ACQUIRED_DISP_CD TRANS_ACQUIRED_DISP_CD_FN EXCERCISE_DATE EXCERCISE_DATE_FN EXPIRATION_DATE EXPIRATION_DATE_FN UNDLYNG_SEC_TITLE UNDLYNG_SEC_TITLE_FN UNDLYNG_SEC_SHARES UNDLYNG_SEC_SHARES_FN UNDLYNG_SEC_VALUE UNDLYNG_SEC_VALUE_FN SHRS_OWND_FOLWNG_TRANS SHRS_OWND_FOLWNG_TRANS_FN VALU_OWND_FOLWNG_TRANS VALU_OWND_FOLWNG_TRANS_FN DIRECT_INDIRECT_OWNERSHIP DIRECT_INDIRECT_OWNERSHIP_FN NATURE_OF_OWNERSHIP NATURE_OF_OWNERSHIP_FN',
  ),
  DERIV_HOLDING: words(
    'ACCESSION_NUMBER DERIV_HOLDING_SK SECURITY_TITLE SECURITY_TITLE_FN CONV_EXERCISE_PRICE CONV_EXERCISE_PRICE_FN TRANS_FORM_TYPE TRANS_FORM_TYPE_FN EXERCISE_DATE EXERCISE_DATE_FN EXPIRATION_DATE EXPIRATION_DATE_FN UNDLYNG_SEC_TITLE UNDLYNG_SEC_TITLE_FN UNDLYNG_SEC_SHARES UNDLYNG_SEC_SHARES_FN UNDLYNG_SEC_VALUE UNDLYNG_SEC_VALUE_FN SHRS_OWND_FOLWNG_TRANS SHRS_OWND_FOLWNG_TRANS_FN VALU_OWND_FOLWNG_TRANS VALU_OWND_FOLWNG_TRANS_FN DIRECT_INDIRECT_OWNERSHIP DIRECT_INDIRECT_OWNERSHIP_FN NATURE_OF_OWNERSHIP NATURE_OF_OWNERSHIP_FN',
  ),
  FOOTNOTES: words('ACCESSION_NUMBER FOOTNOTE_ID FOOTNOTE_TXT'),
};

function words(text: string): string[] {
  return text.split(' ');
}

/** Columns of footnotes by the element that has them. */
const FOOTNOTED: Readonly<Record<string, readonly string[]>> = {
  securityTitle: ['SECURITY_TITLE'],
  conversionOrExercisePrice: ['CONV_EXERCISE_PRICE'],
  transactionDate: ['TRANS_DATE'],
  deemedExecutionDate: ['DEEMED_EXECUTION_DATE'],
  transactionCoding: ['EQUITY_SWAP_TRANS_CD'],
  transactionTimeliness: ['TRANS_TIMELINESS'],
  transactionShares: ['TRANS_SHARES'],
  transactionTotalValue: ['TRANS_TOTAL_VALUE'],
  transactionPricePerShare: ['TRANS_PRICEPERSHARE'],
  transactionAcquiredDisposedCode: ['TRANS_ACQUIRED_DISP_CD'],
  exerciseDate: ['EXCERCISE_DATE', 'EXERCISE_DATE'],
  expirationDate: ['EXPIRATION_DATE'],
  underlyingSecurityTitle: ['UNDLYNG_SEC_TITLE'],
  underlyingSecurityShares: ['UNDLYNG_SEC_SHARES'],
  underlyingSecurityValue: ['UNDLYNG_SEC_VALUE'],
  sharesOwnedFollowingTransaction: ['SHRS_OWND_FOLWNG_TRANS'],
  valueOwnedFollowingTransaction: ['VALU_OWND_FOLWNG_TRANS'],
  directOrIndirectOwnership: ['DIRECT_INDIRECT_OWNERSHIP'],
  natureOfOwnership: ['NATURE_OF_OWNERSHIP'],
};

/** Lines of Forms 4 by table, as the SEC prints them. */
export function insiderTables(filings: readonly Ownership[]): Record<string, Line[]> {
  return {
    SUBMISSION: filings.map(submissionOf),
    REPORTINGOWNER: filings.flatMap((filing) => filing.owners.map((owner) => ownerOf(filing, owner))),
    NONDERIV_TRANS: filings.flatMap((filing) => rowsOf(filing, 'non_derivative', 'transaction')),
    NONDERIV_HOLDING: filings.flatMap((filing) => rowsOf(filing, 'non_derivative', 'holding')),
    DERIV_TRANS: filings.flatMap((filing) => rowsOf(filing, 'derivative', 'transaction')),
    DERIV_HOLDING: filings.flatMap((filing) => rowsOf(filing, 'derivative', 'holding')),
    FOOTNOTES: filings.flatMap(({ header, footnotes }) =>
      footnotes.map(({ id, text }) => ({
        ACCESSION_NUMBER: header.accession,
        FOOTNOTE_ID: id,
        FOOTNOTE_TXT: quoted(text),
      })),
    ),
  };
}

/** Writes Forms 4 as the tables of an insider transactions data set. */
export function writeInsiderDataSet(dir: string, filings: readonly Ownership[]): Promise<void> {
  return writeTables(dir, HEADS, insiderTables(filings));
}

/** A field cannot hold a line break; one with a quote is quoted. */
function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.includes('"') ? `"${line.replaceAll('"', '""')}"` : line;
}

const flag = (value: boolean | null): string => (value === null ? '' : value ? '1' : '0');

/** As in the SEC's tables: `4000.0`, `19.82`, never a third decimal. */
function amount(decimal: string | null): string {
  if (decimal === null) return '';
  const cents = Math.round(Number(decimal) * 100) / 100;
  return Number.isInteger(cents) ? `${cents}.0` : String(cents);
}

function submissionOf(filing: Ownership): Line {
  const { header, issuer } = filing;
  return {
    ACCESSION_NUMBER: header.accession,
    FILING_DATE: printed(header.filedDate),
    PERIOD_OF_REPORT: printed(filing.periodOfReport),
    DATE_OF_ORIG_SUB: printed(filing.dateOfOriginalSubmission),
    NOT_SUBJECT_SEC16: flag(filing.notSubjectToSection16),
    DOCUMENT_TYPE: header.form,
    ISSUERCIK: issuer.cik,
    ISSUERNAME: quoted(issuer.name),
    ISSUERTRADINGSYMBOL: quoted(issuer.symbol),
    REMARKS: quoted(filing.remarks),
    AFF10B5ONE: flag(filing.is10b51),
  };
}

function ownerOf({ header }: Ownership, owner: ReportingOwner): Line {
  const relations = [
    ...(owner.isDirector ? ['Director'] : []),
    ...(owner.isOfficer ? ['Officer'] : []),
    ...(owner.isTenPercentOwner ? ['TenPercentOwner'] : []),
    ...(owner.isOther ? ['Other'] : []),
  ];
  return {
    ACCESSION_NUMBER: header.accession,
    RPTOWNERCIK: owner.cik,
    RPTOWNERNAME: quoted(owner.name),
    RPTOWNER_RELATIONSHIP: relations.join(','),
    RPTOWNER_TITLE: quoted(owner.officerTitle ?? ''),
  };
}

function rowsOf(
  { header, rows }: Ownership,
  table: OwnershipRow['table'],
  kind: OwnershipRow['rowKind'],
): Line[] {
  const lines = rows
    .filter((row) => row.table === table && row.rowKind === kind)
    .map((row): Line => ({ ACCESSION_NUMBER: header.accession, ...keysOf(row), ...fieldsOf(row) }));
  // The SEC's tables are sorted by nothing.
  return lines.reverse();
}

function keysOf({ row }: OwnershipRow): Line {
  const key = 990 + row;
  return { NONDERIV_TRANS_SK: key, NONDERIV_HOLDING_SK: key, DERIV_TRANS_SK: key, DERIV_HOLDING_SK: key };
}

function fieldsOf(row: OwnershipRow): Line {
  const notes = Object.entries(row.footnoteIds).flatMap(([element, ids]) =>
    (FOOTNOTED[element] ?? []).map((column) => [`${column}_FN`, ids.toReversed().join(', ')] as const),
  );
  return {
    SECURITY_TITLE: quoted(row.securityTitle),
    CONV_EXERCISE_PRICE: amount(row.conversionOrExercisePrice),
    TRANS_DATE: printed(row.transactionDate),
    DEEMED_EXECUTION_DATE: printed(row.deemedExecutionDate),
    TRANS_FORM_TYPE: row.rowKind === 'transaction' ? '4' : '',
    TRANS_CODE: row.code,
    EQUITY_SWAP_INVOLVED: row.equitySwap ? 'true' : '0',
    TRANS_SHARES: amount(row.shares),
    TRANS_PRICEPERSHARE: amount(row.pricePerShare),
    TRANS_ACQUIRED_DISP_CD: row.acquiredDisposed,
    EXCERCISE_DATE: printed(row.exerciseDate),
    EXERCISE_DATE: printed(row.exerciseDate),
    EXPIRATION_DATE: printed(row.expirationDate),
    UNDLYNG_SEC_TITLE: quoted(row.underlyingTitle ?? ''),
    UNDLYNG_SEC_SHARES: amount(row.underlyingShares),
    SHRS_OWND_FOLWNG_TRANS: amount(row.sharesOwnedAfter),
    DIRECT_INDIRECT_OWNERSHIP: row.ownership === null ? '' : row.ownership === 'direct' ? 'D' : 'I',
    NATURE_OF_OWNERSHIP: quoted(row.natureOfOwnership ?? ''),
    ...Object.fromEntries(notes),
  };
}
