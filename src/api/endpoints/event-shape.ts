import { z } from 'zod';
import type { EventDoc } from '../../store/filing/events.ts';

/** Fifteen digits are always a safe integer, and more events than there will ever be. */
const CURSOR = /^(0|[1-9]\d{0,14})$/;

/** Where a reader of the stream stands: a `next_cursor`, as the number that it is a text of. */
export const sinceParam = z
  .string()
  .regex(CURSOR, 'must be a next_cursor of this stream')
  .transform(Number)
  .optional()
  .describe('Cursor from a previous next_cursor; 0 is the beginning, absent the latest events');

/** Rule 11.7. */
export const eventFields = {
  seq: z.int().describe('Place in the stream: grows, may skip, is never reused or renumbered'),
  form: z.string().describe('SEC form type, `4` or `4/A`'),
  ticker: z.string().describe('As the form has it, upper case; empty when it has none'),
  issuer: z.string().describe('Name of the issuer'),
  accession_number: z.string().describe('For `/filing/{accession}`'),
  filed_at: z.string().describe('Acceptance by the SEC, UTC; a day where only the day is known'),
  source_url: z.string().describe("The filing in the SEC's archive"),
};

export const eventShape = z.strictObject(eventFields);

export type EventItem = z.infer<typeof eventShape>;

export const nextCursorShape = z
  .string()
  .describe('The `since` of the next call: everything up to it was looked at');

export const cursorAheadShape = z.strictObject({ code: z.literal('cursor_ahead'), message: z.string() });

export const CURSOR_AHEAD: z.infer<typeof cursorAheadShape> = {
  code: 'cursor_ahead',
  message: 'The cursor is ahead of the stream, so no event follows it yet.',
};

export function eventItem(event: EventDoc): EventItem {
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
