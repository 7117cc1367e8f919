import { AppError } from '../errors.ts';

/**
 * Every way in which a filing can be unreadable, explained for an operator. The list is closed:
 * quarantine, `tidemark failures` and the coverage counts show these keys.
 */
export const PARSE_ERRORS = {
  not_a_submission: 'The bytes are not a full submission text: an HTML page, JSON, a PDF or nothing.',
  truncated: 'The container is not closed, or holds fewer documents than its header counts.',
  header_invalid: 'A field that every filing has is missing or unreadable in the SGML header.',
  accession_mismatch: 'The accession number differs from the one asked for, or within the file.',
  unsupported_form: 'The form type is not carried.',
  bad_encoding: 'The bytes are neither UTF-8 nor an encoding that the file declares.',
  too_large: 'The submission or one of its documents is over the size cap.',
  doctype_refused: 'The XML has a document type or entity declaration, which is never read.',
  malformed_xml: 'The XML is not well-formed, so no part of it is used.',
  too_deep: 'Elements are nested deeper than any SEC schema allows.',
  too_many_attributes: 'An element has more attributes than any SEC schema allows.',
  text_too_long: 'A text node is longer than the cap.',
  too_many_rows: 'The information table has more rows than the cap.',
  wrong_root: 'The root element is not the one that the form requires.',
  cover_missing: 'A Form 13F has no cover page in XML.',
  period_invalid: 'The period is not a calendar quarter end, contradicts the header or is in the future.',
  information_table_missing:
    'A holdings report has no information table, or an empty one although it declares entries.',
  text_information_table:
    'The report is text, as before 2013, and its table or cover is too irregular to be read without doubt.',
  schema_invalid: 'A required element is missing or a value cannot be read.',
} as const;

export type ParseErrorCode = keyof typeof PARSE_ERRORS;

/** A filing that cannot be read. Never retried: the same bytes fail the same way (rule 13.2). */
export class ParseError extends AppError {
  override readonly code: ParseErrorCode;

  /** `detail` says what is wrong and where; it quotes at most a few words of the filing. */
  constructor(code: ParseErrorCode, detail: string, cause?: unknown) {
    super(code, `${code}: ${detail}`, { status: 422, retry: false, public: PARSE_ERRORS[code], cause });
    this.name = 'ParseError';
    this.code = code;
  }
}

/** The error for one element, with the first characters of its text. */
export function unreadable(element: string, found: string | null): ParseError {
  const what =
    found === null || found.trim() === '' ? 'is missing' : `reads ${JSON.stringify(found.slice(0, 40))}`;
  return new ParseError('schema_invalid', `${element} ${what}`);
}

/** Limits of hostile input (rule 1.8). The largest real report, 50,000 rows, is about 25 MB. */
export const MAX_SUBMISSION_BYTES = 128 * 1024 * 1024;
/** Covers and ownership documents are read as a tree; real ones stay under 1 MB. */
export const MAX_TREE_CHARS = 8 * 1024 * 1024;
export const MAX_DEPTH = 64;
export const MAX_ATTRIBUTES = 64;
export const MAX_TEXT_CHARS = 64 * 1024;
/** Of any text but footnotes, remarks and other prose: names, titles, symbols. Real ones stay under 300. */
export const MAX_FIELD_CHARS = 4_096;
export const MAX_ROWS = 200_000;
