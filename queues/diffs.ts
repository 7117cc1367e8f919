import { z } from 'zod';
import { reportPart } from './payload.ts';
import { defineQueue } from './queue.ts';

export const diffs = defineQueue({
  name: 'diffs',
  about: 'Compares pending reports of history together: a unit of one part of the managers at a time.',
  group: 'live',
  // `at`: when it was enqueued, in milliseconds. The next job of a part must not have the id of one that runs.
  payload: z.strictObject({ part: reportPart, at: z.number().int().min(0) }),
  jobId: ({ part, at }) => `diffs-${part}-at${at}`,
  key: ({ part }) => part,
  attempts: 8,
  backoffMs: 500,
  // The rows of a unit are in memory.
  concurrency: 1,
  keepsFailed: false,
});
