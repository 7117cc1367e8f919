import type { ParsedFiling } from '../domain/filing/filing.ts';
import type { Accession } from '../domain/ids.ts';
import type { DataSetFormat } from './data-set.ts';
import { decodeSubmission, isEncodingGuessed } from './decode.ts';
import type { FormModule } from './form.ts';
import { form4DataSet } from './form-4/data-set.ts';
import { form4 } from './form-4/form-4.ts';
import { thirteenFDataSet } from './form-13f/data-set.ts';
import { thirteenF } from './form-13f/thirteen-f.ts';
import { ParseError } from './parse-error.ts';
import { splitSubmission } from './sgml.ts';

export type { FormModule } from './form.ts';
export { PARSE_ERRORS, ParseError, type ParseErrorCode } from './parse-error.ts';
export { headerOf } from './sgml.ts';

/** The carried forms: what is polled, parsed, stored and listed. Feeds are read in this order. */
export const FORMS: readonly FormModule[] = [form4, thirteenF];

/** The module of an EDGAR form type; null for a type that is not carried. */
export function formFor(forms: readonly FormModule[], formType: string): FormModule | null {
  return forms.find((form) => form.carries.includes(formType)) ?? null;
}

/** The same for a type that must be carried. Throws ParseError `unsupported_form`. */
export function requireForm(forms: readonly FormModule[], formType: string): FormModule {
  const form = formFor(forms, formType);
  if (form === null) throw new ParseError('unsupported_form', formType.slice(0, 20));
  return form;
}

/**
 * Bytes of a full submission to a filing. The same bytes always give the same answer.
 * `expected` is the requested accession number. Throws ParseError and nothing else.
 */
export function parseFiling(
  bytes: Uint8Array,
  expected?: Accession,
  forms: readonly FormModule[] = FORMS,
): ParsedFiling {
  const { header, ...submission } = splitSubmission(decodeSubmission(bytes));
  const { accession, form } = header;
  if (expected !== undefined && expected !== accession) {
    throw new ParseError('accession_mismatch', `asked for ${expected}, got ${accession}`);
  }
  const guessed = isEncodingGuessed(bytes) ? { encodingGuessed: true as const } : {};
  return requireForm(forms, form).parse({ ...submission, header: { ...header, ...guessed } });
}

/** The data sets that can be imported, by the name that operators give them. */
export const DATA_SETS = {
  '13f': thirteenFDataSet,
  form4: form4DataSet,
} as const satisfies Record<string, DataSetFormat>;

export type DataSetKind = keyof typeof DATA_SETS;
