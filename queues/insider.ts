import { z } from 'zod';
import { cik, version } from './payload.ts';
import { defineQueue } from './queue.ts';

export const insider = defineQueue({
  name: 'insider',
  about: 'Reconciles all Forms 4 of one issuer, amendments and repetitions included, and lists its trades.',
  group: 'live',
  payload: z.strictObject({ cik, version }),
  jobId: ({ cik: id, version }) => `insider-${id}-v${version}`,
  key: ({ cik: id }) => id,
  attempts: 8,
  backoffMs: 500,
  concurrency: 2,
  keepsFailed: false,
});
