import { z } from 'zod';
import { parseAccession, parseCik, parseTicker, type QuarterEnd } from '../../domain/ids.ts';
import type { Quality } from '../../domain/quality/quality.ts';
import { quarterEndOf, type YearAndQuarter } from '../../domain/quarter.ts';
import type { Detail } from '../http/problem.ts';

const TICKER_TEXT = /^[A-Za-z][A-Za-z0-9]{0,5}([./-][A-Za-z0-9]{1,3})?$/;

/** A transformation by a parser that returns null for what it cannot read. */
export function parsedBy<T>(parse: (text: string) => T | null, reason: string) {
  return (text: string, context: z.RefinementCtx): T => {
    const parsed = parse(text);
    if (parsed !== null) return parsed;
    context.addIssue(reason);
    return z.NEVER;
  };
}

function parsedText<T>(shape: RegExp, parse: (text: string) => T | null, reason: string) {
  return z.string().regex(shape, reason).transform(parsedBy(parse, reason));
}

/** Accepts one to ten digits and returns ten. */
export const cikParam = parsedText(
  /^\d{1,10}$/,
  parseCik,
  'must be 1 to 10 digits; /v1/search?type=funds&q=NAME finds the CIK of a name',
).describe('SEC Central Index Key, up to 10 digits');

const ACCESSION_TEXT = /^(\d{10}-\d{2}-\d{6}|\d{18})$/;
const ACCESSION_REASON = 'must be an accession number, with or without its dashes';

/** Eighteen digits, with both dashes or none. */
export const accessionParam = parsedText(ACCESSION_TEXT, parseAccession, ACCESSION_REASON).describe(
  'SEC accession number, with or without dashes',
);

/** The hash of a brief's content. */
export const briefIdParam = z
  .string()
  .regex(/^ccm_[0-9a-f]{64}$/, 'must be ccm_ and 64 hex digits')
  .describe('Id of a brief: ccm_ and 64 hex digits');

const TICKER_REASON = 'must be an exchange ticker such as AAPL or BRK.B';

/** The text of a ticker, before it is parsed. */
export const tickerText = z.string().regex(TICKER_TEXT, TICKER_REASON);

/** `BRK.B`, `BRK-B` and `BRK/B`, in either case, are one ticker (rule 3.3). */
export const tickerParam = tickerText
  .transform(parsedBy(parseTicker, TICKER_REASON))
  .describe('Exchange ticker, such as AAPL or BRK.B');

export type Period = { readonly year?: number | undefined; readonly quarter?: number | undefined };

/** A report period: both or neither. */
export const periodParams = {
  year: z.int().min(1990).max(2100).optional().describe('Year of the report period, with quarter'),
  quarter: z.int().min(1).max(4).optional().describe('Quarter of the report period, with year'),
};

export function periodRule({ year, quarter }: Period): Detail[] {
  if ((year === undefined) === (quarter === undefined)) return [];
  return [
    year === undefined
      ? { param: 'year', reason: 'is required with quarter' }
      : { param: 'quarter', reason: 'is required with year' },
  ];
}

/** The last day of the quarter; null when no quarter was given. */
export function periodEnd({ year, quarter }: Period): QuarterEnd | null {
  if (year === undefined || quarter === undefined) return null;
  return quarterEndOf(year, quarter as YearAndQuarter['quarter']);
}

export const qualityShape = z.strictObject({
  status: z.enum(['clear', 'uncertain', 'excluded']),
  reasons: z.array(z.string()),
});

/** The wire form, with a copy of the list, so that a stored list is never shared. */
export function wireQuality(quality: Quality): z.infer<typeof qualityShape> {
  return { status: quality.status, reasons: [...quality.reasons] };
}
