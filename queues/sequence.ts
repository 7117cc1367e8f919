import { z } from 'zod';
import { slot } from './payload.ts';
import { defineQueue } from './queue.ts';

export const sequence = defineQueue({
  name: 'sequence',
  about: 'Gives every parsed event the next number of the stream. No number is lost, reused or changed.',
  group: 'live',
  payload: z.strictObject({ slot }),
  jobId: ({ slot: start }) => `sequence-${start}`,
  attempts: 3,
  backoffMs: 200,
  concurrency: 1,
  keepsFailed: false,
});
