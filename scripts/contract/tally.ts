import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

/** The counts of the Schemathesis hooks: every checked call and its price. */
const tally = z.object({
  calls: z.number(),
  charged: z.number(),
  credits: z.number(),
  statuses: z.record(z.string(), z.number()),
  moved: z.number(),
});

export type Tally = z.infer<typeof tally>;

/** Null when the run ended before its first call. */
export function readTally(path: string): Tally | null {
  return existsSync(path) ? tally.parse(JSON.parse(readFileSync(path, 'utf8'))) : null;
}
