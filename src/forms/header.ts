import type { FilingHeader, FilingParty } from '../domain/filing/filing.ts';
import { isIsoDate, parseAccession, parseCik, parseIsoDate } from '../domain/ids.ts';
import { ParseError } from './parse-error.ts';
import { fieldOf } from './value.ts';

/** The fields that both notations of the header share, still as text. */
type RawHeader = Readonly<
  Record<'accession' | 'form' | 'filed' | 'accepted' | 'period' | 'documentCount', string | undefined>
> & { readonly parties: readonly RawParty[] };

type RawParty = Readonly<Record<'name' | 'cik' | 'fileNumber', string | undefined>> & {
  readonly section: string;
};

const SECTION_TAG = /<(\/?)(FILER|ISSUER|REPORTING-OWNER|FILED-BY|SUBJECT-COMPANY)>/g;
const ROLES: ReadonlyMap<string, FilingParty['role']> = new Map([
  ['FILER', 'filer'],
  ['ISSUER', 'issuer'],
  ['REPORTING-OWNER', 'reporting_owner'],
  ['FILED-BY', 'filed_by'],
  ['SUBJECT-COMPANY', 'subject_company'],
]);

/** Validates the fields of a header. Throws `header_invalid` for a missing accession, form or date. */
export function filingHeaderOf(raw: RawHeader): FilingHeader {
  return {
    accession: required('ACCESSION NUMBER', raw.accession, parseAccession),
    form: required('CONFORMED SUBMISSION TYPE', raw.form, (text) => text || null),
    filedDate: required('FILED AS OF DATE', raw.filed, parseIsoDate),
    acceptedAt: raw.accepted ? required('ACCEPTANCE-DATETIME', raw.accepted, easternToUtc) : null,
    periodOfReport: raw.period ? required('CONFORMED PERIOD OF REPORT', raw.period, parseIsoDate) : null,
    filers: raw.parties.flatMap(partyOf),
  };
}

function required<T>(field: string, text: string | undefined, parse: (text: string) => T | null): T {
  const found = parse(text ?? '');
  if (found !== null) return found;
  const what = text ? `reads ${JSON.stringify(text.slice(0, 40))}` : 'is missing';
  throw new ParseError('header_invalid', `${field} ${what}`);
}

/** A party without a CIK (a former name, an empty section) identifies no one and is left out. */
function partyOf(raw: RawParty): FilingParty[] {
  const cik = parseCik(raw.cik ?? '');
  if (cik === null) return [];
  const role = ROLES.get(raw.section) ?? 'other';
  const name = fieldOf('COMPANY CONFORMED NAME', raw.name ?? '');
  return [{ role, cik, name, fileNumber: raw.fileNumber ?? null }];
}

/** The indented fields that are read, of some forty. */
const PARTY_FIELDS: ReadonlySet<string> = new Set([
  'COMPANY CONFORMED NAME',
  'CENTRAL INDEX KEY',
  'SEC FILE NUMBER',
]);

/**
 * The header of `<accession>.txt`: `NAME:<tabs>value` lines. A section such as `REPORTING-OWNER:` starts
 * at the margin and has indented fields.
 */
export function readTextHeader(text: string): RawHeader {
  const top = new Map<string, string>();
  const parties: Map<string, string>[] = [];
  let start = 0;
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', start)) {
    let end = endOfLine(text, start);
    while (end < colon) {
      start = end + 1;
      end = endOfLine(text, start);
    }
    const isIndented = text[start] === '\t' || text[start] === ' ';
    const name = text.slice(start, colon).trim();
    start = end + 1;
    if (isIndented && !PARTY_FIELDS.has(name)) continue;
    const value = text.slice(colon + 1, end).trim();
    if (isIndented) setOnce(parties.at(-1), name, value);
    else if (value === '') parties.push(new Map([['', name.replace(/ /g, '-')]]));
    else setOnce(top, name, value);
  }
  return {
    accession: top.get('ACCESSION NUMBER'),
    form: top.get('CONFORMED SUBMISSION TYPE'),
    filed: top.get('FILED AS OF DATE'),
    accepted: /<ACCEPTANCE-DATETIME>[ \t]*(\d+)/.exec(text)?.[1],
    period: top.get('CONFORMED PERIOD OF REPORT'),
    documentCount: top.get('PUBLIC DOCUMENT COUNT'),
    parties: parties.map(textPartyOf),
  };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** The first occurrence counts, because a party's own name comes before its former names. */
function setOnce(fields: Map<string, string> | undefined, name: string, value: string): void {
  if (fields !== undefined && !fields.has(name)) fields.set(name, value);
}

function textPartyOf(fields: ReadonlyMap<string, string>): RawParty {
  return {
    section: fields.get('') ?? '',
    name: fields.get('COMPANY CONFORMED NAME'),
    cik: fields.get('CENTRAL INDEX KEY'),
    fileNumber: fields.get('SEC FILE NUMBER'),
  };
}

/**
 * The header of the dissemination feed (`<SUBMISSION>`): SGML tags whose values are not closed,
 * e.g. `<TYPE>4<PERIOD>20250212`. It has no acceptance time unless the tag is present.
 */
export function readTaggedHeader(text: string): RawHeader {
  return {
    accession: tagValue(text, 'ACCESSION-NUMBER'),
    form: tagValue(text, 'TYPE'),
    filed: tagValue(text, 'FILING-DATE'),
    accepted: tagValue(text, 'ACCEPTANCE-DATETIME'),
    period: tagValue(text, 'PERIOD'),
    documentCount: tagValue(text, 'PUBLIC-DOCUMENT-COUNT'),
    parties: taggedParties(text),
  };
}

/** One pass over the tags: a section that is never closed must not cost a search for each that is opened. */
function taggedParties(text: string): RawParty[] {
  const parties: RawParty[] = [];
  const opened = new Map<string, number>();
  for (const { 0: tag, 1: slash, 2: section = '', index } of text.matchAll(SECTION_TAG)) {
    const start = opened.get(section);
    if (slash === '' && start === undefined) opened.set(section, index + tag.length);
    if (slash === '' || start === undefined) continue;
    parties.push(taggedPartyOf(section, text.slice(start, index)));
    opened.clear();
  }
  return parties;
}

function taggedPartyOf(section: string, body: string): RawParty {
  return {
    section,
    name: tagValue(body, 'CONFORMED-NAME'),
    cik: tagValue(body, 'CIK'),
    fileNumber: tagValue(body, 'FILE-NUMBER'),
  };
}

/** The text after the first `<TAG>` up to the next tag or the end of the line. */
export function tagValue(text: string, tag: string): string | undefined {
  const at = text.indexOf(`<${tag}>`);
  if (at < 0) return undefined;
  const rest = text.slice(at + tag.length + 2, at + tag.length + 514);
  return /^[^<\r\n]*/.exec(rest)?.[0].trim();
}

const HOUR_MS = 3_600_000;
const STAMP = /^(\d{10})([0-5]\d)([0-5]\d)$/;
const newYorkHour = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hour: '2-digit',
  hourCycle: 'h23',
});

/**
 * ACCEPTANCE-DATETIME `YYYYMMDDhhmmss`, Eastern time, as ISO 8601 UTC with seconds (rule 1.4). Null when
 * it is not a time. The offset comes from the zone rules. An hour that occurs twice counts as the first
 * one, and a skipped hour is moved forward; EDGAR accepts no filing in either.
 */
export function easternToUtc(stamp: string): string | null {
  const [, hour = '', minute, second] = STAMP.exec(stamp) ?? [];
  const utcHour = utcHourOf(hour);
  return utcHour === null ? null : `${utcHour}:${minute}:${second}Z`;
}

/** `YYYYMMDDhh` of New York as `YYYY-MM-DDThh` of UTC. */
function utcHourOf(text: string): string | null {
  const [year, month, day] = [text.slice(0, 4), text.slice(4, 6), text.slice(6, 8)];
  const hour = Number(text.slice(8));
  // `Date.UTC` takes the first hundred years for those of the 20th century.
  if (year < '0100' || !isIsoDate(`${year}-${month}-${day}`) || hour > 23) return null;
  const start = Date.UTC(Number(year), Number(month) - 1, Number(day), hour);
  const isSummer = Number(newYorkHour.format(start + 4 * HOUR_MS)) === hour;
  return new Date(start + (isSummer ? 4 : 5) * HOUR_MS).toISOString().slice(0, 13);
}
