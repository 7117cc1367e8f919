import { z } from 'zod';
import { count, day } from './brief-values.ts';

const time = z.iso.datetime();

/** What `/status` answers anybody. `down`: calls cannot be answered. `degraded`: something stands still. */
export const statusShape = z.strictObject({
  status: z.enum(['ok', 'degraded', 'down']),
  version: z.string(),
  as_of: day.nullable().describe('"Today" in New York for every answer; null before the first'),
  last_poll_at: time.nullable().describe("When EDGAR's feed was read to its end last"),
  minutes_behind: count.nullable().describe('What EDGAR listed longer ago than this is answered here'),
  watermarks: z.array(
    z.strictObject({
      form: z.string(),
      through: day.nullable().describe('Every filing up to this day is stored'),
    }),
  ),
  quarters: z
    .array(z.strictObject({ quarter_end: day, filed: count, parsed: count, quarantined: count }))
    .describe('Filings by the calendar quarter of their filing date, newest first'),
  events: z.strictObject({ head_seq: count }),
  processes: z.array(
    z.strictObject({
      role: z.string(),
      version: z.string(),
      heartbeat_at: time,
      alive: z.boolean(),
      queues: z
        .array(z.string())
        .describe('Groups of queues that a worker serves, as `tidemark work --queues`; empty for others'),
    }),
  ),
});

/** When the feed was read last, for people. A "today" without a reading comes from a replay or an import. */
export function pollWords({ last_poll_at, as_of }: Pick<StatusData, 'last_poll_at' | 'as_of'>): string {
  if (last_poll_at !== null) return last_poll_at;
  return as_of === null ? 'not yet' : 'never: filings were replayed or imported';
}

export type StatusData = z.infer<typeof statusShape>;
