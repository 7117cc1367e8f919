import { z } from 'zod';
import { accession, day, run } from './payload.ts';
import { defineQueue, newestFirst, SHORT_LOCK_MS } from './queue.ts';

export const fetch = defineQueue({
  name: 'fetch',
  about: 'Fetches the full submission of one filing and stores its bytes by SHA-256.',
  payload: z.strictObject({ accession, filedDate: day.optional(), run }),
  jobId: ({ accession: id, run: n }) => `fetch-${id}-r${n}`,
  priority: ({ filedDate }) => newestFirst(filedDate),
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 8,
  keepsFailed: false,
  lockMs: SHORT_LOCK_MS,
});
