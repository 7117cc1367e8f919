import { z } from 'zod';
import { cik, lane, version } from './payload.ts';
import { defineQueue, urgency } from './queue.ts';

export const insider = defineQueue({
  name: 'insider',
  about:
    'Reconciles new Forms 4 of one issuer with those of the same days, amendments and repetitions included, and lists its trades.',
  group: 'live',
  payload: z.strictObject({ cik, version, lane }),
  jobId: ({ cik: id, version }) => `insider-${id}-v${version}`,
  key: ({ cik: id }) => id,
  priority: ({ lane: of }) => urgency({ lane: of }),
  attempts: 8,
  backoffMs: 500,
  concurrency: 2,
  keepsFailed: false,
});
