import { z } from 'zod';
import { quarterEnd, version } from './payload.ts';
import { defineQueue } from './queue.ts';

export const peers = defineQueue({
  name: 'peers',
  about:
    'Compares all filers of a quarter: splits, new CUSIPs, value scales and slips that no report shows alone.',
  group: 'heavy',
  payload: z.strictObject({ quarterEnd, version }),
  jobId: (payload) => `peers-${payload.quarterEnd}-v${payload.version}`,
  key: (payload) => payload.quarterEnd,
  attempts: 8,
  backoffMs: 1_000,
  // Each holds a part of three quarters in memory.
  concurrency: 1,
  keepsFailed: false,
  lockMs: 60_000,
});
