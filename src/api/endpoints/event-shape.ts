import { z } from 'zod';
import type { EventDoc } from '../../store/filing/events.ts';
import type { Awaits } from '../endpoint/endpoint.ts';

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

/** Rows of a page of the stream by default, over REST and as a tool. */
export const EVENT_ROWS = 50;

/** Longer than this, and proxies and clients with a limit of a minute give up before the answer. */
export const MAX_WAIT_SECONDS = 50;

/** Holds an empty page until an event matches (rule 11.22). */
export const waitParam = z
  .int()
  .min(0)
  .max(MAX_WAIT_SECONDS)
  .default(0)
  .describe(
    'Seconds to wait when no event matches. The answer comes with the first one, and is charged once',
  );

/** How `wait` works, with the same text for both streams. */
export const WAIT_WORDS =
  '`wait` holds the call while no event matches, up to 50 seconds: the answer comes within moments of the first one, or empty when the time is over. It is charged once, when it is sent; a client that goes before pays nothing.';

type ReadPage = { readonly events: readonly unknown[]; readonly head: number };
type Asked = { readonly since?: number | undefined; readonly wait: number };

/** Present where the page is empty and the client waits. `matches` is the filter of the page. */
export function awaitsOf({ events, head }: ReadPage, { since = 0, wait }: Asked, matches: Awaits['matches']) {
  if (wait === 0 || events.length > 0) return {};
  const isAwaited: Awaits['matches'] = (event) => Number(event._id) > since && matches(event);
  return { awaits: { seconds: wait, head, matches: isAwaited } };
}

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
