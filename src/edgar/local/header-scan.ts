import {
  type Accession,
  type Cik,
  type IsoDate,
  isIsoDate,
  parseAccession,
  parseCik,
} from '../../domain/ids.ts';
import type { FeedRole } from '../listing/feed.ts';

export type HeaderParty = { readonly role: FeedRole; readonly cik: Cik; readonly name: string };

/** What a listing needs of a submission; null where the header does not say it. */
export type HeaderFacts = {
  readonly accession: Accession | null;
  readonly form: string | null;
  readonly filedDate: IsoDate | null;
  /** ACCEPTANCE-DATETIME as printed: 14 digits, Eastern time. */
  readonly acceptance: string | null;
  readonly parties: readonly HeaderParty[];
};

/** Sections of the header that stand for a party, in both of its notations. */
const ROLES: Record<string, FeedRole> = {
  FILER: 'Filer',
  ISSUER: 'Issuer',
  'REPORTING-OWNER': 'Reporting',
  'FILED-BY': 'Filed by',
  'SUBJECT-COMPANY': 'Subject',
};
const FIELDS: Record<string, 'accession' | 'form' | 'filed' | 'acceptance' | 'name' | 'cik'> = {
  'ACCESSION-NUMBER': 'accession',
  'CONFORMED-SUBMISSION-TYPE': 'form',
  TYPE: 'form',
  'FILED-AS-OF-DATE': 'filed',
  'FILING-DATE': 'filed',
  'ACCEPTANCE-DATETIME': 'acceptance',
  'COMPANY-CONFORMED-NAME': 'name',
  'CONFORMED-NAME': 'name',
  'CENTRAL-INDEX-KEY': 'cik',
  CIK: 'cik',
};

/**
 * A light scan of the SGML header for listings: both the labelled notation of `<accession>.txt`
 * (`FILED AS OF DATE:`) and the tagged one of the dissemination feed (`<FILING-DATE>`). It only
 * lists; what a filing says is read by the forms' own parser.
 */
export function scanHeader(head: string): HeaderFacts {
  const found: Record<string, string> = {};
  const parties: Draft[] = [];
  for (const [label, value] of labels(head)) {
    const role = ROLES[label];
    const field = FIELDS[label];
    if (role !== undefined && value === '') parties.push({ role, cik: '', name: '' });
    else if (field === 'name' || field === 'cik') fill(parties.at(-1), field, value);
    else if (field !== undefined) found[field] ??= value;
  }
  const acceptance = found['acceptance'] ?? '';
  return {
    accession: parseAccession(found['accession'] ?? ''),
    form: found['form'] ?? null,
    filedDate: toDate(found['filed'] ?? ''),
    acceptance: /^\d{14}$/.test(acceptance) ? acceptance : null,
    parties: parties.map(toParty).filter((party) => party !== null),
  };
}

type Draft = { readonly role: FeedRole; cik: string; name: string };

/** The first name and CIK of a section are the party's; former names have their own labels. */
function fill(party: Draft | undefined, field: 'name' | 'cik', value: string): void {
  if (party && party[field] === '') party[field] = value;
}

function toParty(draft: Draft): HeaderParty | null {
  const cik = parseCik(draft.cik);
  return cik === null ? null : { role: draft.role, cik, name: draft.name };
}

/** Lines end with LF, CRLF or a lone CR; a label's blanks become dashes, a counter goes away. */
function* labels(head: string): Generator<readonly [string, string]> {
  const end = head.search(/<\/SEC-HEADER>|<DOCUMENT>/);
  const lines = (end < 0 ? head : head.slice(0, end)).split(/\r\n|\r|\n/);
  for (const line of lines) {
    const match = /^\s*(?:<([A-Z-]+)>|([A-Z][A-Z -]*?)(?: ?\(\d+\))?:)(.*)$/.exec(line);
    if (match) yield [(match[1] ?? match[2] ?? '').replaceAll(' ', '-'), (match[3] ?? '').trim()];
  }
}

function toDate(text: string): IsoDate | null {
  const iso = text.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  return isIsoDate(iso) ? iso : null;
}
