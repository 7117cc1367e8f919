import { z } from 'zod';
import { filingPart } from './payload.ts';
import { defineQueue, SHORT_LOCK_MS } from './queue.ts';

export const fetches = defineQueue({
  name: 'fetches',
  about:
    'Fetches submissions of history together, those without an information table: a unit of one part at a time.',
  group: 'live',
  // `at`: when it was enqueued, in milliseconds. The next job of a part must not have the id of one that runs.
  payload: z.strictObject({ part: filingPart, at: z.number().int().min(0) }),
  jobId: ({ part, at }) => `fetches-${part}-at${at}`,
  key: ({ part }) => part,
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 2,
  keepsFailed: false,
  lockMs: SHORT_LOCK_MS,
});
