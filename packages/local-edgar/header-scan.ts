import { parseAccession, parseCik, parseIsoDate } from '../../src/domain/ids.ts';
import type { FeedRole } from '../../src/edgar/listing/feed.ts';
import { readTaggedHeader, readTextHeader } from '../../src/forms/header.ts';

/** What a listing needs of a submission; null where the header does not say it. */
export type HeaderFacts = ReturnType<typeof scanHeader>;

/** Sections of the header that stand for a party. */
const ROLES: Record<string, FeedRole> = {
  FILER: 'Filer',
  ISSUER: 'Issuer',
  'REPORTING-OWNER': 'Reporting',
  'FILED-BY': 'Filed by',
  'SUBJECT-COMPANY': 'Subject',
};

/** Reads the SGML header of a submission from its first bytes, without refusing what is missing. */
export function scanHeader(text: string) {
  const end = text.search(/<\/SEC-HEADER>|<DOCUMENT>/);
  const head = end < 0 ? text : text.slice(0, end);
  const raw = head.includes('<ACCESSION-NUMBER>') ? readTaggedHeader(head) : readTextHeader(head);
  return {
    accession: parseAccession(raw.accession ?? ''),
    form: raw.form ?? null,
    filedDate: parseIsoDate(raw.filed ?? ''),
    /** ACCEPTANCE-DATETIME as printed: 14 digits, Eastern time. */
    acceptance: /^\d{14}$/.exec(raw.accepted ?? '')?.[0] ?? null,
    parties: raw.parties.flatMap(({ section, cik: printed, name = '' }) => {
      const role = ROLES[section];
      const cik = parseCik(printed ?? '');
      return role === undefined || cik === null ? [] : [{ role, cik, name }];
    }),
  };
}
