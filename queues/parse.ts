import { z } from 'zod';
import { accession, day, lane, run } from './payload.ts';
import { defineQueue, SHORT_LOCK_MS, urgency } from './queue.ts';

export const parse = defineQueue({
  name: 'parse',
  about:
    'Parses one stored submission in a thread. A filing that cannot be parsed is quarantined with its reason.',
  group: 'live',
  payload: z.strictObject({ accession, filedDate: day.optional(), lane, run }),
  jobId: ({ accession: id, run: n }) => `parse-${id}-r${n}`,
  priority: ({ lane: of, filedDate }) => urgency({ lane: of, day: filedDate }),
  attempts: 8,
  backoffMs: 1_000,
  concurrency: 4,
  keepsFailed: false,
  lockMs: SHORT_LOCK_MS,
});
