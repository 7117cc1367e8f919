import type { ParsedFiling } from '../domain/filing/filing.ts';
import type { Accession } from '../domain/ids.ts';
import { decodeSubmission } from './decode.ts';
import type { FormModule } from './form.ts';
import { form4 } from './form-4/form-4.ts';
import { thirteenF } from './form-13f/thirteen-f.ts';
import { ParseError } from './parse-error.ts';
import { splitSubmission } from './sgml.ts';

export type { FormModule } from './form.ts';
export { PARSE_ERRORS, ParseError, type ParseErrorCode } from './parse-error.ts';

/** The carried forms: what is polled, parsed, indexed and listed. */
export const FORMS: readonly FormModule[] = [thirteenF, form4];

export const CARRIED_FORMS: readonly string[] = FORMS.flatMap((form) => form.carries);

export function formFor(formType: string): FormModule | null {
  return FORMS.find((form) => form.carries.includes(formType)) ?? null;
}

/**
 * Bytes of a full submission to a filing; the same bytes always give the same answer.
 * `expected` is the accession number that was asked for. Throws ParseError and nothing else.
 */
export function parseFiling(bytes: Uint8Array, expected?: Accession): ParsedFiling {
  const submission = splitSubmission(decodeSubmission(bytes));
  const { accession, form } = submission.header;
  if (expected !== undefined && expected !== accession) {
    throw new ParseError('accession_mismatch', `asked for ${expected}, got ${accession}`);
  }
  const module = formFor(form);
  if (module === null) throw new ParseError('unsupported_form', form.slice(0, 20));
  return module.parse(submission);
}
