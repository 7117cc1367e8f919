import type { FilingHeader, Ownership, ReportingOwner, StoredFiling } from '../../domain/filing/filing.ts';
import { parseCik } from '../../domain/ids.ts';
import { attributeOf, childOf, childrenOf, proseAt, readElement, textAt } from '../element.ts';
import { MAX_TREE_CHARS, ParseError, unreadable } from '../parse-error.ts';
import type { Submission } from '../sgml.ts';
import { asText } from '../source.ts';
import { dateOf, flagOf, squeeze } from '../value.ts';
import { rootName, textOf, type XmlElement } from '../xml.ts';
import { tableRowsOf } from './row.ts';

/**
 * The ownership document of a submission, found by its root element. `documentTypes` are the types that
 * the calling form carries. Throws ParseError.
 */
export function parseOwnership(submission: Submission, documentTypes: readonly string[]): Ownership {
  const xml = submission.documents.flatMap((document) => document.xml ?? []);
  const found = xml.filter((part) => rootName(part) === 'ownershipDocument');
  if (found.length > 1) throw unreadable('ownershipDocument', `${found.length} documents`);
  const [document = xml[0]] = found;
  if (document === undefined) throw new ParseError('wrong_root', 'no document of the filing is XML');
  return parseOwnershipXml(asText(document), submission.header, documentTypes);
}

/** An ownership document, with the header of its submission. */
export function parseOwnershipXml(
  xml: string,
  header: FilingHeader,
  documentTypes: readonly string[],
): Ownership {
  // Some software left the `&` of a name unescaped (rule 6.1). A document over the limit is refused
  // before any work is spent on it.
  const escaped = xml.length > MAX_TREE_CHARS ? xml : withEscapedAmpersands(xml);
  const root = readElement(escaped, 'ownershipDocument');
  const documentType = textAt(root, 'documentType');
  if (documentType === null || !documentTypes.includes(documentType)) {
    throw unreadable('documentType', documentType);
  }
  const ownership: Ownership = {
    kind: 'ownership',
    header,
    isAmendment: header.form.endsWith('/A'),
    schemaVersion: textAt(root, 'schemaVersion'),
    issuer: issuerOf(root),
    periodOfReport: dateOf('periodOfReport', textAt(root, 'periodOfReport')),
    dateOfOriginalSubmission: dateOf('dateOfOriginalSubmission', textAt(root, 'dateOfOriginalSubmission')),
    is10b51: flagOf('aff10b5One', textAt(root, 'aff10b5One')),
    notSubjectToSection16: flagOf('notSubjectToSection16', textAt(root, 'notSubjectToSection16')),
    owners: childrenOf(root, 'reportingOwner').map(reportingOwnerOf),
    rows: [...tableRowsOf(root, 'non_derivative'), ...tableRowsOf(root, 'derivative')],
    footnotes: footnotesOf(root),
    remarks: proseAt(root, 'remarks') ?? '',
  };
  if (ownership.owners.length === 0) throw unreadable('reportingOwner', null);
  return ownership;
}

/** An ownership document is stored whole, under its issuer. */
export function storedOwnership(filing: Ownership): StoredFiling {
  const { issuer, owners } = filing;
  const reportingOwnerCiks = owners.map((owner) => owner.cik);
  return { cik: issuer.cik, company: issuer.name, issuer, reportingOwnerCiks, content: filing, rows: null };
}

function issuerOf(root: XmlElement): Ownership['issuer'] {
  const issuer = childOf(root, 'issuer');
  const cikText = textAt(issuer, 'issuerCik');
  const cik = parseCik(cikText ?? '');
  if (cik === null) throw unreadable('issuerCik', cikText);
  const name = squeeze(textAt(issuer, 'issuerName') ?? '');
  return { cik, name, symbol: textAt(issuer, 'issuerTradingSymbol') ?? '' };
}

function footnotesOf(root: XmlElement): Ownership['footnotes'] {
  return childrenOf(root, 'footnotes')
    .flatMap((part) => childrenOf(part, 'footnote'))
    .map((note) => ({ id: attributeOf(note, 'id') ?? '', text: textOf(note) }));
}

/** One of the reporting owners, who all report the same rows (rule 6.1). */
function reportingOwnerOf(owner: XmlElement): ReportingOwner {
  const id = childOf(owner, 'reportingOwnerId');
  const relationship = childOf(owner, 'reportingOwnerRelationship');
  const cikText = textAt(id, 'rptOwnerCik');
  const cik = parseCik(cikText ?? '');
  if (cik === null) throw unreadable('rptOwnerCik', cikText);
  const is = (name: string): boolean => flagOf(name, textAt(relationship, name)) ?? false;
  return {
    cik,
    name: squeeze(textAt(id, 'rptOwnerName') ?? ''),
    isDirector: is('isDirector'),
    isOfficer: is('isOfficer'),
    isTenPercentOwner: is('isTenPercentOwner'),
    isOther: is('isOther'),
    officerTitle: squeeze(textAt(relationship, 'officerTitle') ?? '') || null,
  };
}

/** An `&` that does not begin a reference of XML. */
const BARE = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)/g;
const BARE_HERE = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)/y;
const CDATA = '<![CDATA[';
const CDATA_END = ']]>';

/**
 * Writes `&amp;` for every `&` that does not begin a reference of XML, so that `Bed Bath & Beyond` and
 * `AT&T` read as they were typed (rule 6.1). A well-formed document stays as it is, and nothing else of
 * a malformed one is repaired. One pass: text after a CDATA section that never ends stays as it is, and
 * the reader refuses it.
 */
export function withEscapedAmpersands(xml: string): string {
  if (!hasBareAmpersand(xml)) return xml;
  const parts: string[] = [];
  let at = 0;
  while (at < xml.length) {
    const start = indexOrEnd(xml, CDATA, at);
    const close = xml.indexOf(CDATA_END, start + CDATA.length);
    const end = close === -1 ? xml.length : close + CDATA_END.length;
    parts.push(xml.slice(at, start).replace(BARE, '&amp;'), xml.slice(start, end));
    at = end;
  }
  return parts.join('');
}

/** Looks at the few `&` alone: few documents have a bare one. */
function hasBareAmpersand(xml: string): boolean {
  for (let at = xml.indexOf('&'); at >= 0; at = xml.indexOf('&', at + 1)) {
    BARE_HERE.lastIndex = at;
    if (BARE_HERE.test(xml)) return true;
  }
  return false;
}

function indexOrEnd(xml: string, text: string, from: number): number {
  const found = xml.indexOf(text, from);
  return found === -1 ? xml.length : found;
}
