import { z } from 'zod';
import { parseAccession, parseCik, parseTicker } from '../../domain/ids.ts';

const CIK_TEXT = /^\d{1,10}$/;
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

const CIK_REASON = 'must be 1 to 10 digits';

/** Accepts one to ten digits and returns ten. */
export const cikParam = z
  .string()
  .regex(CIK_TEXT, CIK_REASON)
  .transform(parsedBy(parseCik, CIK_REASON))
  .describe('SEC Central Index Key');

const ACCESSION_TEXT = /^(\d{10}-\d{2}-\d{6}|\d{18})$/;
const ACCESSION_REASON = 'must be an accession number, with or without its dashes';

/** Eighteen digits, with both dashes or none. */
export const accessionParam = z
  .string()
  .regex(ACCESSION_TEXT, ACCESSION_REASON)
  .transform(parsedBy(parseAccession, ACCESSION_REASON))
  .describe('SEC accession number, with or without dashes');

const TICKER_REASON = 'must be an exchange ticker such as AAPL or BRK.B';

/** The text of a ticker, before it is parsed. */
export const tickerText = z.string().regex(TICKER_TEXT, TICKER_REASON);

/** `BRK.B`, `BRK-B` and `BRK/B`, in either case, are one ticker (rule 3.3). */
export const tickerParam = tickerText
  .transform(parsedBy(parseTicker, TICKER_REASON))
  .describe('Exchange ticker; a share class follows a dot, a dash or an encoded slash');
