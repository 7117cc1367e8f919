import { z } from 'zod';
import { slot } from './payload.ts';
import { defineQueue } from './queue.ts';

export const bulk = defineQueue({
  name: 'bulk',
  about:
    'Imports the data sets of the SEC that bring the days held back by backfill, then enqueues backfill.',
  group: 'bulk',
  payload: z.strictObject({ slot }),
  jobId: () => 'bulk-import',
  attempts: 8,
  backoffMs: 60_000,
  concurrency: 1,
  keepsFailed: false,
});
