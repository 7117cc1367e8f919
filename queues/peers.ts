import { z } from 'zod';
import { quarterEnd } from './payload.ts';
import { defineQueue } from './queue.ts';

export const peers = defineQueue({
  name: 'peers',
  about:
    'Asks all filers of a quarter together: splits, new CUSIPs, units and slips that no report shows alone.',
  payload: z.strictObject({ quarterEnd, generation: z.number().int().min(0) }),
  jobId: (payload) => `peers-${payload.quarterEnd}-g${payload.generation}`,
  attempts: 8,
  backoffMs: 1_000,
  // Each holds a part of three quarters in memory.
  concurrency: 1,
  keepsFailed: false,
  lockMs: 60_000,
  schedule: [],
});
