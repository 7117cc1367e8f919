import type { RawHeader, RawParty } from './header.ts';

const SECTION = /<(FILER|ISSUER|REPORTING-OWNER|FILED-BY|SUBJECT-COMPANY)>([\s\S]*?)<\/\1>/g;

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
    parties: [...text.matchAll(SECTION)].map(([, section = '', body = '']) => rawPartyOf(section, body)),
  };
}

function rawPartyOf(section: string, body: string): RawParty {
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
