import { z } from 'zod';
import { defineQueue, slot } from './queue.ts';

/** `events`: rule 13.1. `ledger`: rule 12.8. `expiry`: rule 13.8. */
const UPKEEP = ['events', 'ledger', 'expiry'] as const;

export const upkeep = defineQueue({
  name: 'upkeep',
  about:
    'Proves that the stream of events is whole and that every balance is the sum of its ledger, and corrects which briefs expire.',
  group: 'briefs',
  payload: z.strictObject({ slot, kind: z.enum(UPKEEP) }),
  jobId: ({ kind }) => `upkeep-${kind}`,
  attempts: 3,
  backoffMs: 60_000,
  concurrency: UPKEEP.length,
  keepsFailed: false,
  schedule: [
    { cron: '0 30 3 * * *', slotSeconds: 3_600, kind: 'events' },
    { cron: '0 20 * * * *', slotSeconds: 3_600, kind: 'ledger' },
    { cron: '0 0 4 * * *', slotSeconds: 3_600, kind: 'expiry' },
  ],
});

export const dispatch = defineQueue({
  name: 'dispatch',
  about: 'Enqueues what the database says is pending, publishes the as-of date and the state of the corpus.',
  group: 'live',
  payload: z.strictObject({ slot }),
  // One id for every slot: while a dispatch waits or runs, none is added.
  jobId: () => 'dispatch-next',
  attempts: 1,
  backoffMs: 0,
  concurrency: 1,
  // A failed job that stays would swallow every later one.
  keepsFailed: false,
  // None is added while its worker is dead. Running twice does no harm.
  lockMs: 10_000,
  schedule: [{ cron: '*/2 * * * * *', slotSeconds: 2 }],
});
