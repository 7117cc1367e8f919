import { z } from 'zod';
import { REASONS, type Reason } from '../quality/quality.ts';

export const count = z.int().min(0);
export const cik = z
  .string()
  .regex(/^\d{10}$/)
  .describe('SEC Central Index Key, padded to ten digits');
export const accession = z
  .string()
  .regex(/^\d{10}-\d{2}-\d{6}$/)
  .describe('SEC accession number with dashes');
export const day = z.iso.date();
/** Dates of filings are kept as filed. A mistyped `0022-05-03` passes and gets a reason instead. */
export const dayAsFiled = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
export const timestamp = z.iso.datetime().describe('ISO 8601, UTC');
export const wholeNumber = z.string().regex(/^-?\d+$/);
export const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
export const contentId = z
  .string()
  .regex(/^ccm_[0-9a-f]{64}$/)
  .describe('Content address: SHA-256 over canonical JSON (RFC 8785)');
export const factsId = z
  .string()
  .regex(/^facts_[0-9a-f]{64}$/)
  .describe('Changes only when something about the stock does: SHA-256 over the facts in canonical JSON');
export const evidenceId = z
  .string()
  .regex(/^sec:(13f|form4):\d{10}-\d{2}-\d{6}$/)
  .describe('sec:13f:<accession> or sec:form4:<accession>');

export const reason = z
  .enum(Object.keys(REASONS) as [Reason, ...Reason[]])
  .describe('A reason of the closed list of quality reasons');
export const quality = z.strictObject({
  status: z.enum(['clear', 'uncertain', 'excluded']),
  reasons: z.array(reason),
});
export const publishedAt = z.strictObject({
  value: z.union([z.iso.datetime(), day]).describe('A day when only the day is known'),
  precision: z.enum(['second', 'day']),
});
export const period = z.strictObject({ quarter_end: day, managers: count });
