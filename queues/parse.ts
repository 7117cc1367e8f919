import { z } from 'zod';
import { accession, day, run } from './payload.ts';
import { defineQueue, newestFirst, SHORT_LOCK_MS } from './queue.ts';

export const parse = defineQueue({
  name: 'parse',
  about:
    'Parses one stored submission in a thread. A filing that cannot be parsed is quarantined with its reason.',
  payload: z.strictObject({ accession, filedDate: day.optional(), run }),
  jobId: ({ accession: id, run: n }) => `parse-${id}-r${n}`,
  priority: ({ filedDate }) => newestFirst(filedDate),
  attempts: 8,
  backoffMs: 1_000,
  concurrency: 4,
  keepsFailed: false,
  lockMs: SHORT_LOCK_MS,
});
