import { z } from 'zod';
import { slot } from './payload.ts';
import { defineQueue } from './queue.ts';

export const ledger = defineQueue({
  name: 'ledger',
  about:
    'Recomputes every balance from the rows of the ledger since the last time, once a week from all of them.',
  group: 'briefs',
  payload: z.strictObject({ slot }),
  jobId: () => 'ledger-check',
  attempts: 3,
  backoffMs: 60_000,
  concurrency: 1,
  keepsFailed: false,
  schedule: [{ cron: '0 20 * * * *', slotSeconds: 3_600 }],
});
