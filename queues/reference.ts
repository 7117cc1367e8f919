import { z } from 'zod';
import { slot } from './payload.ts';
import { defineQueue } from './queue.ts';

export const reference = defineQueue({
  name: 'reference',
  about:
    'Imports tickers, CUSIPs and CIKs: company_tickers.json, fails-to-deliver files, lists of 13(f) securities.',
  group: 'live',
  payload: z.strictObject({ slot }),
  jobId: ({ slot: start }) => `reference-${start}`,
  attempts: 5,
  backoffMs: 10_000,
  concurrency: 1,
  keepsFailed: true,
  schedule: [{ cron: '0 15 5 * * *', slotSeconds: 3_600 }],
});
