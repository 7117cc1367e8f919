import { z } from 'zod';
import type { EventDoc } from '../../store/filing/events.ts';

/** The guarantee of the event stream, with the same text in every document (rule 11.7). */
export const EVENT_PROMISE =
  'Following `next_cursor` delivers every event at least once, in `seq` order; duplicates are possible only after a restore and carry the same `accession_number`; `seq` is increasing, not gap-free; `filed_at` is not monotonic in `seq`, because late filings get new numbers; a `seq` is never reused or renumbered.';

/** Fifteen digits are always a safe integer, and enough for any number of events. */
const CURSOR = /^(0|[1-9]\d{0,14})$/;

/** The position of a reader in the stream: a `next_cursor`, read as a number. */
export const sinceParam = z
  .string()
  .regex(CURSOR, 'must be a next_cursor of this stream')
  .transform(Number)
  .optional()
  .describe('A previous next_cursor; 0 is the beginning. Without it, the latest events');

/** Rule 11.7. */
export const eventFields = {
  seq: z.int().describe('Position in the stream: increasing, may skip numbers, never reused or renumbered'),
  form: z.string().describe('SEC form type, `4` or `4/A`'),
  ticker: z.string().describe('As on the form, upper case; empty when the form has none'),
  issuer: z.string().describe('Name of the issuer'),
  accession_number: z.string().describe('For `/filing/{accession}`'),
  filed_at: z.string().describe('When the SEC accepted it, UTC; a day when only the day is known'),
  source_url: z.string().describe("The filing in the SEC's archive"),
};

export const eventShape = z.strictObject(eventFields);

export const nextCursorShape = z
  .string()
  .describe('The `since` of the next call: all events up to it were read');

export const cursorAheadShape = z.strictObject({ code: z.literal('cursor_ahead'), message: z.string() });

const CURSOR_AHEAD: z.infer<typeof cursorAheadShape> = {
  code: 'cursor_ahead',
  message: 'The cursor is ahead of the stream, so no event follows it yet.',
};

/** The note of a page; none unless the cursor of the reader is ahead of the stream. */
export function aheadNote(since: number | undefined, head: number) {
  return since !== undefined && since > head ? { note: CURSOR_AHEAD } : {};
}

export function eventItem(event: EventDoc): z.infer<typeof eventShape> {
  return {
    seq: Number(event._id),
    form: event.form,
    ticker: event.ticker,
    issuer: event.issuer,
    accession_number: event.accession,
    filed_at: event.filedAt,
    source_url: event.sourceUrl,
  };
}
