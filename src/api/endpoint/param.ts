import { z } from 'zod';
import {
  type Accession,
  type Cik,
  parseAccession,
  parseCik,
  parseTicker,
  type Ticker,
} from '../../domain/ids.ts';

const CIK_TEXT = /^\d{1,10}$/;
const TICKER_TEXT = /^[A-Za-z][A-Za-z0-9]{0,5}([./-][A-Za-z0-9]{1,3})?$/;

/** One to ten digits in, always ten out. */
export const cikParam = z
  .string()
  .regex(CIK_TEXT, 'must be 1 to 10 digits')
  .transform((text, context): Cik => {
    const cik = parseCik(text);
    if (cik !== null) return cik;
    context.addIssue('must be 1 to 10 digits');
    return z.NEVER;
  })
  .describe('SEC Central Index Key');

const ACCESSION_TEXT = /^(\d{10}-\d{2}-\d{6}|\d{18})$/;
const ACCESSION_REASON = 'must be an accession number, with or without its dashes';

/** Eighteen digits, with both dashes or none. */
export const accessionParam = z
  .string()
  .regex(ACCESSION_TEXT, ACCESSION_REASON)
  .transform((text, context): Accession => {
    const accession = parseAccession(text);
    if (accession !== null) return accession;
    context.addIssue(ACCESSION_REASON);
    return z.NEVER;
  })
  .describe('SEC accession number, with or without dashes');

/** A ticker as it may be written, before it is read. */
export const tickerText = z.string().regex(TICKER_TEXT, 'must be an exchange ticker such as AAPL or BRK.B');

/** `BRK.B`, `BRK-B` and `BRK/B`, in either case, are one (rule 3.3). */
export const tickerParam = tickerText
  .transform((text, context): Ticker => {
    const ticker = parseTicker(text);
    if (ticker !== null) return ticker;
    context.addIssue('must be an exchange ticker such as AAPL or BRK.B');
    return z.NEVER;
  })
  .describe('Exchange ticker; a share class follows a dot, a dash or an encoded slash');
