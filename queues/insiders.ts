import { z } from 'zod';
import { issuerPart } from './payload.ts';
import { defineQueue } from './queue.ts';

export const insiders = defineQueue({
  name: 'insiders',
  about: 'Reconciles the Forms 4 of issuers of history together: a unit of one part at a time.',
  group: 'live',
  // `at`: when it was enqueued, in milliseconds. The next job of a part must not have the id of one that runs.
  payload: z.strictObject({ part: issuerPart, at: z.number().int().min(0) }),
  jobId: ({ part, at }) => `insiders-${part}-at${at}`,
  key: ({ part }) => part,
  attempts: 8,
  backoffMs: 500,
  concurrency: 2,
  keepsFailed: false,
});
