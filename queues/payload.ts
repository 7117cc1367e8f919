import { z } from 'zod';
import { LANES } from '../src/domain/filing/lane.ts';
import {
  type Accession,
  type Cik,
  type IsoDate,
  isAccession,
  isCik,
  isIsoDate,
  isTicker,
  type QuarterEnd,
  type Ticker,
} from '../src/domain/ids.ts';

/** Payloads carry ids, never documents. */
export const accession = z.custom<Accession>((value) => typeof value === 'string' && isAccession(value));
export const cik = z.custom<Cik>((value) => typeof value === 'string' && isCik(value));
export const day = z.custom<IsoDate>((value) => typeof value === 'string' && isIsoDate(value));
export const quarterEnd = z.custom<QuarterEnd>((value) => typeof value === 'string' && isIsoDate(value));
export const ticker = z.custom<Ticker>((value) => typeof value === 'string' && isTicker(value));
/** `f0` to `ff`, `h0` to `hf`. */
export const searchPart = z.string().regex(/^[fh][0-9a-f]$/);
/** `0` to `7`: a part of the managers whose reports are compared together. */
export const reportPart = z.string().regex(/^[0-7]$/);
/** `0` to `3`: a part of the filings of history that are fetched, and parsed, together. */
export const filingPart = z.string().regex(/^[0-3]$/);
/**
 * Which run it is. For a filing its fence, 0 before the first claim, so that every stage names the
 * same job. For a day the slot of the backfill.
 */
export const run = z.number().int().min(0);
/** Version of the invalidation that the job was enqueued for: a later one is another job. */
export const version = z.number().int().min(0);
/** Absent in what the dispatcher enqueues by key. */
export const lane = z.enum(LANES).optional();
/** The slot that the clock fired for: its start in epoch seconds; 0 when enqueued by hand. */
export const slot = z.number().int().min(0);
