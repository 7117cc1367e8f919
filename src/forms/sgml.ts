import type { FilingHeader } from '../domain/filing/filing.ts';
import { filingHeaderOf, readTaggedHeader, readTextHeader, tagValue } from './header.ts';
import { ParseError } from './parse-error.ts';

/** One `<DOCUMENT>` of a full submission. */
export type SubmissionDocument = {
  readonly type: string;
  readonly sequence: string;
  readonly filename: string;
  /** Everything between `<TEXT>` and `</TEXT>`. */
  readonly text: string;
  /** The XML part, trimmed; null for HTML, text and uuencoded documents. */
  readonly xml: string | null;
};

/** A full submission text, split into its parts; its documents are not read yet. */
export type Submission = {
  readonly header: FilingHeader;
  readonly documents: readonly SubmissionDocument[];
};

const PEM_BEGIN = '-----BEGIN PRIVACY-ENHANCED MESSAGE-----';
const PEM_END = '-----END PRIVACY-ENHANCED MESSAGE-----';

/**
 * Splits a full submission text: `<SEC-DOCUMENT>` with or without the mail envelope that EDGAR used
 * until 2009, its name `<IMS-DOCUMENT>` of the 1990s, and `<SUBMISSION>` of the dissemination feed.
 * Throws `not_a_submission`, `truncated`, `header_invalid`, `accession_mismatch`.
 */
export function splitSubmission(text: string): Submission {
  const { raw, body } = envelopeOf(unwrapMail(fromFirstCharacter(text)));
  const header = filingHeaderOf(raw);
  const documents = documentsOf(body);
  const expected = Number(raw.documentCount ?? 1);
  if (documents.length === 0 || documents.length < expected) {
    throw new ParseError('truncated', `${documents.length} of ${expected} documents`);
  }
  return { header, documents };
}

/** Without a byte order mark and blanks. Nearly always the text itself: a copy of a large one is expensive. */
function fromFirstCharacter(text: string): string {
  return text.startsWith('<') ? text : text.replace(/^\ufeff?\s*/, '');
}

/** RFC 1421: a line that begins with a dash was sent with `- ` before it. */
function unwrapMail(text: string): string {
  if (!text.startsWith(PEM_BEGIN)) return text;
  const end = text.lastIndexOf(PEM_END);
  if (end < 0) throw new ParseError('truncated', 'the mail envelope is not closed');
  const start = text.search(/^<(SEC|IMS)-DOCUMENT>/m);
  if (start < 0 || start > end) throw new ParseError('not_a_submission', 'a mail envelope without a filing');
  return text.slice(start, end).replace(/^- -/gm, '-');
}

function envelopeOf(text: string) {
  if (text.startsWith('<SUBMISSION>')) {
    const inner = between(text, '<SUBMISSION>', '</SUBMISSION>');
    const start = inner.indexOf('<DOCUMENT>');
    const body = start < 0 ? inner.length : start;
    return { raw: readTaggedHeader(inner.slice(0, body)), body: inner.slice(body) };
  }
  const kind = /^<(SEC|IMS)-(DOCUMENT|HEADER)>/.exec(text)?.[1];
  if (kind === undefined) throw new ParseError('not_a_submission', describe(text));
  const inner = between(text, `<${kind}-DOCUMENT>`, `</${kind}-DOCUMENT>`);
  const close = `</${kind}-HEADER>`;
  const head = between(inner, `<${kind}-HEADER>`, close);
  const raw = readTextHeader(head);
  const named = /^\s*(\d{10}-\d{2}-\d{6})/.exec(inner)?.[1];
  if (named !== undefined && raw.accession !== undefined && named !== raw.accession) {
    throw new ParseError('accession_mismatch', `${named} on the first line, ${raw.accession} in the header`);
  }
  return { raw, body: inner.slice(inner.indexOf(close) + close.length) };
}

function between(text: string, open: string, close: string): string {
  const start = text.indexOf(open);
  const end = close.includes('HEADER') ? text.indexOf(close) : text.lastIndexOf(close);
  if (start < 0 || end < start) throw new ParseError('truncated', `${open} is not closed`);
  return text.slice(start + open.length, end);
}

function documentsOf(body: string): SubmissionDocument[] {
  const documents: SubmissionDocument[] = [];
  let at = body.indexOf('<DOCUMENT>');
  while (at >= 0) {
    const end = body.indexOf('</DOCUMENT>', at);
    if (end < 0) throw new ParseError('truncated', `document ${documents.length + 1} is not closed`);
    documents.push(documentOf(body.slice(at, end)));
    at = body.indexOf('<DOCUMENT>', end);
  }
  return documents;
}

function documentOf(part: string): SubmissionDocument {
  const start = part.indexOf('<TEXT>');
  const end = part.lastIndexOf('</TEXT>');
  if (start < 0 || end < start) throw new ParseError('truncated', '<TEXT> is not closed');
  const head = part.slice(0, start);
  const text = part.slice(start + 6, end);
  return {
    type: tagValue(head, 'TYPE') ?? '',
    sequence: tagValue(head, 'SEQUENCE') ?? '',
    filename: tagValue(head, 'FILENAME') ?? '',
    text,
    xml: xmlOf(text),
  };
}

function xmlOf(text: string): string | null {
  const open = text.indexOf('<XML>');
  if (open < 0) return /^\s*<\?xml\s/.test(text) ? text.trim() : null;
  const close = text.lastIndexOf('</XML>');
  if (close < open) throw new ParseError('truncated', '<XML> is not closed');
  return text.slice(open + 5, close).trim();
}

function describe(text: string): string {
  if (text === '') return 'empty';
  if (text.startsWith('%PDF')) return 'a PDF';
  if (/^[[{]/.test(text)) return 'JSON';
  if (/^<(!doctype html|html|head|body)/i.test(text)) return 'an HTML page';
  return `begins ${JSON.stringify(text.slice(0, 24))}`;
}
