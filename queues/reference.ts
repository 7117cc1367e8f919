import { z } from 'zod';
import { slot } from './payload.ts';
import { defineQueue } from './queue.ts';

export const reference = defineQueue({
  name: 'reference',
  about:
    'Imports company_tickers.json and the fails-to-deliver files: which CUSIP, ticker and CIK belong together.',
  payload: z.strictObject({ slot }),
  jobId: ({ slot: start }) => `reference-${start}`,
  attempts: 5,
  backoffMs: 10_000,
  concurrency: 1,
  keepsFailed: true,
  lockMs: 30_000,
  schedule: [{ cron: '0 15 5 * * *', slotSeconds: 3_600 }],
});
