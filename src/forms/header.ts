import type { FilingHeader, FilingParty } from '../domain/filing/filing.ts';
import { type IsoDate, parseAccession, parseCik, parseIsoDate } from '../domain/ids.ts';
import { easternToUtc } from './eastern.ts';
import { ParseError } from './parse-error.ts';

/** The fields that both notations of the header share, still as text. */
export type RawHeader = {
  readonly accession: string | undefined;
  readonly form: string | undefined;
  readonly filed: string | undefined;
  readonly accepted: string | undefined;
  readonly period: string | undefined;
  readonly documentCount: string | undefined;
  readonly parties: readonly RawParty[];
};

export type RawParty = {
  readonly section: string;
  readonly name: string | undefined;
  readonly cik: string | undefined;
  readonly fileNumber: string | undefined;
};

const ROLES: ReadonlyMap<string, FilingParty['role']> = new Map([
  ['FILER', 'filer'],
  ['ISSUER', 'issuer'],
  ['REPORTING-OWNER', 'reporting_owner'],
  ['FILED-BY', 'filed_by'],
  ['SUBJECT-COMPANY', 'subject_company'],
]);

/** Validates the fields of a header. Throws `header_invalid` for a missing accession, form or date. */
export function filingHeaderOf(raw: RawHeader): FilingHeader {
  const accession = parseAccession(raw.accession ?? '');
  if (accession === null) throw invalid('ACCESSION NUMBER', raw.accession);
  if (raw.form === undefined || raw.form === '') throw invalid('CONFORMED SUBMISSION TYPE', raw.form);
  const filedDate = parseIsoDate(raw.filed ?? '');
  if (filedDate === null) throw invalid('FILED AS OF DATE', raw.filed);
  return {
    accession,
    form: raw.form,
    filedDate,
    acceptedAt: acceptedAtOf(raw.accepted),
    periodOfReport: periodOf(raw.period),
    filers: raw.parties.flatMap(partyOf),
  };
}

function acceptedAtOf(stamp: string | undefined): string | null {
  if (stamp === undefined || stamp === '') return null;
  const utc = easternToUtc(stamp);
  if (utc === null) throw invalid('ACCEPTANCE-DATETIME', stamp);
  return utc;
}

function periodOf(text: string | undefined): IsoDate | null {
  if (text === undefined || text === '') return null;
  const date = parseIsoDate(text);
  if (date === null) throw invalid('CONFORMED PERIOD OF REPORT', text);
  return date;
}

/** A party without a CIK (a former name, an empty section) identifies no one and is left out. */
function partyOf(raw: RawParty): FilingParty[] {
  const cik = parseCik(raw.cik ?? '');
  if (cik === null) return [];
  const role = ROLES.get(raw.section) ?? 'other';
  return [{ role, cik, name: raw.name ?? '', fileNumber: raw.fileNumber ?? null }];
}

function invalid(field: string, found: string | undefined): ParseError {
  const what = found ? `reads ${JSON.stringify(found.slice(0, 40))}` : 'is missing';
  return new ParseError('header_invalid', `${field} ${what}`);
}
