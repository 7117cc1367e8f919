import { z } from 'zod';
import { accession, day, lane, run } from './payload.ts';
import { defineQueue, SHORT_LOCK_MS, urgency } from './queue.ts';

export const fetch = defineQueue({
  name: 'fetch',
  about: 'Fetches the full submission of one filing and stores its bytes by SHA-256.',
  group: 'live',
  payload: z.strictObject({ accession, filedDate: day.optional(), lane, run }),
  jobId: ({ accession: id, run: n }) => `fetch-${id}-r${n}`,
  priority: ({ lane: of, filedDate }) => urgency({ lane: of, day: filedDate }),
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 8,
  keepsFailed: false,
  lockMs: SHORT_LOCK_MS,
});
