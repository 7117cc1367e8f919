import type { FilingHeader } from '../domain/filing/filing.ts';
import { filingHeaderOf, readTaggedHeader, readTextHeader, tagValue } from './header.ts';
import { ParseError } from './parse-error.ts';
import { asText, firstChars, partOf, type Source, trimmed } from './source.ts';

/** One `<DOCUMENT>` of a full submission. */
export type SubmissionDocument = {
  readonly type: string;
  readonly sequence: string;
  readonly filename: string;
  /** Everything between `<TEXT>` and `</TEXT>`. */
  readonly text: Source;
  /** The XML part, trimmed; null for HTML, text and uuencoded documents. */
  readonly xml: Source | null;
};

/** A full submission text, split into its parts; its documents are not read yet. */
export type Submission = {
  readonly header: FilingHeader;
  readonly documents: readonly SubmissionDocument[];
};

const PEM_BEGIN = '-----BEGIN PRIVACY-ENHANCED MESSAGE-----';
const PEM_END = '-----END PRIVACY-ENHANCED MESSAGE-----';
/** Enough to see what a source is. */
const OPENING_CHARS = 64;

/**
 * Splits a full submission text: `<SEC-DOCUMENT>` with or without the mail envelope that EDGAR used
 * until 2009, its name `<IMS-DOCUMENT>` of the 1990s, and `<SUBMISSION>` of the dissemination feed.
 * Throws `not_a_submission`, `truncated`, `header_invalid`, `accession_mismatch`.
 */
export function splitSubmission(source: Source): Submission {
  const { raw, body } = envelopeOf(unwrapMail(trimmed(source)));
  const header = filingHeaderOf(raw);
  const documents = documentsOf(body);
  const expected = Number(raw.documentCount ?? 1);
  if (documents.length === 0 || documents.length < expected) {
    throw new ParseError('truncated', `${documents.length} of ${expected} documents`);
  }
  return { header, documents };
}

/** Far more than the longest header. */
const HEADER_BYTES = 64 * 1_024;

/** The header of a submission whatever else is wrong with it; null where that cannot be read. Its names may be garbled. */
export function headerOf(bytes: Uint8Array): FilingHeader | null {
  const text = Buffer.from(bytes.subarray(0, HEADER_BYTES)).toString('latin1');
  const end = /<\/(?:SEC|IMS)-HEADER>|<DOCUMENT>/.exec(text)?.index;
  if (end === undefined) return null;
  const head = text.slice(0, end);
  try {
    return filingHeaderOf(/<(?:SEC|IMS)-HEADER>/.test(head) ? readTextHeader(head) : readTaggedHeader(head));
  } catch (error) {
    if (error instanceof ParseError) return null;
    throw error;
  }
}

/** RFC 1421: a line that begins with a dash was sent with `- ` before it. */
function unwrapMail(source: Source): Source {
  if (!firstChars(source, OPENING_CHARS).startsWith(PEM_BEGIN)) return source;
  const text = asText(source);
  const end = text.lastIndexOf(PEM_END);
  if (end < 0) throw new ParseError('truncated', 'the mail envelope is not closed');
  const start = text.search(/^<(SEC|IMS)-DOCUMENT>/m);
  if (start < 0 || start > end) throw new ParseError('not_a_submission', 'a mail envelope without a filing');
  return text.slice(start, end).replace(/^- -/gm, '-');
}

function envelopeOf(source: Source) {
  const first = firstChars(source, OPENING_CHARS);
  if (first.startsWith('<SUBMISSION>')) {
    const inner = between(source, '<SUBMISSION>', '</SUBMISSION>');
    const start = inner.indexOf('<DOCUMENT>');
    const body = start < 0 ? inner.length : start;
    return { raw: readTaggedHeader(asText(partOf(inner, 0, body))), body: partOf(inner, body) };
  }
  const kind = /^<(SEC|IMS)-(DOCUMENT|HEADER)>/.exec(first)?.[1];
  if (kind === undefined) throw new ParseError('not_a_submission', describe(first));
  const inner = between(source, `<${kind}-DOCUMENT>`, `</${kind}-DOCUMENT>`);
  const [open, close] = [`<${kind}-HEADER>`, `</${kind}-HEADER>`];
  const raw = readTextHeader(asText(between(inner, open, close)));
  const named = /^\s*(\d{10}-\d{2}-\d{6})/.exec(asText(partOf(inner, 0, inner.indexOf(open))))?.[1];
  if (named !== undefined && raw.accession !== undefined && named !== raw.accession) {
    throw new ParseError('accession_mismatch', `${named} on the first line, ${raw.accession} in the header`);
  }
  return { raw, body: partOf(inner, inner.indexOf(close) + close.length) };
}

function between(source: Source, open: string, close: string): Source {
  const start = source.indexOf(open);
  const end = close.includes('HEADER') ? source.indexOf(close) : source.lastIndexOf(close);
  if (start < 0 || end < start) throw new ParseError('truncated', `${open} is not closed`);
  return partOf(source, start + open.length, end);
}

function documentsOf(body: Source): SubmissionDocument[] {
  const documents: SubmissionDocument[] = [];
  let at = body.indexOf('<DOCUMENT>');
  while (at >= 0) {
    const end = body.indexOf('</DOCUMENT>', at);
    if (end < 0) throw new ParseError('truncated', `document ${documents.length + 1} is not closed`);
    documents.push(documentOf(partOf(body, at, end)));
    at = body.indexOf('<DOCUMENT>', end);
  }
  return documents;
}

function documentOf(part: Source): SubmissionDocument {
  const start = part.indexOf('<TEXT>');
  const end = part.lastIndexOf('</TEXT>');
  if (start < 0 || end < start) throw new ParseError('truncated', '<TEXT> is not closed');
  const head = asText(partOf(part, 0, start));
  const text = partOf(part, start + 6, end);
  return {
    type: tagValue(head, 'TYPE') ?? '',
    sequence: tagValue(head, 'SEQUENCE') ?? '',
    filename: tagValue(head, 'FILENAME') ?? '',
    text,
    xml: xmlOf(text),
  };
}

function xmlOf(text: Source): Source | null {
  const open = text.indexOf('<XML>');
  if (open < 0) {
    const all = trimmed(text);
    return /^<\?xml\s/.test(firstChars(all, OPENING_CHARS)) ? all : null;
  }
  const close = text.lastIndexOf('</XML>');
  if (close < open) throw new ParseError('truncated', '<XML> is not closed');
  return trimmed(partOf(text, open + 5, close));
}

function describe(first: string): string {
  if (first === '') return 'empty';
  if (first.startsWith('%PDF')) return 'a PDF';
  if (/^[[{]/.test(first)) return 'JSON';
  if (/^<(!doctype html|html|head|body)/i.test(first)) return 'an HTML page';
  return `begins ${JSON.stringify(first.slice(0, 24))}`;
}
