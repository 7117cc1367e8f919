import { z } from 'zod';
import { accession, day, defineQueue, filingPart, lane, run, SHORT_LOCK_MS, slot, urgency } from './queue.ts';

export const fetch = defineQueue({
  name: 'fetch',
  about: 'Fetches the full submission of one filing and stores its bytes by SHA-256.',
  group: 'live',
  payload: z.strictObject({ accession, filedDate: day.optional(), lane, run }),
  jobId: ({ accession: id, run: n }) => `fetch-${id}-r${n}`,
  priority: ({ lane: of, filedDate }) => urgency({ lane: of, day: filedDate }),
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 8,
  keepsFailed: false,
  lockMs: SHORT_LOCK_MS,
});

export const fetches = defineQueue({
  name: 'fetches',
  about:
    'Fetches submissions of history together, those without an information table: a unit of one part at a time.',
  group: 'live',
  // `at`: when it was enqueued, in milliseconds. The next job of a part must not have the id of one that runs.
  payload: z.strictObject({ part: filingPart, at: z.number().int().min(0) }),
  jobId: ({ part, at }) => `fetches-${part}-at${at}`,
  key: ({ part }) => part,
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 2,
  keepsFailed: false,
  lockMs: SHORT_LOCK_MS,
});

export const parse = defineQueue({
  name: 'parse',
  about:
    'Parses one stored submission in a thread. A filing that cannot be parsed is quarantined with its reason.',
  group: 'live',
  payload: z.strictObject({ accession, filedDate: day.optional(), lane, run }),
  jobId: ({ accession: id, run: n }) => `parse-${id}-r${n}`,
  priority: ({ lane: of, filedDate }) => urgency({ lane: of, day: filedDate }),
  attempts: 8,
  backoffMs: 1_000,
  concurrency: 4,
  keepsFailed: false,
  lockMs: SHORT_LOCK_MS,
});

export const parses = defineQueue({
  name: 'parses',
  about:
    'Parses stored submissions of history together, those without an information table: a unit of one part at a time.',
  group: 'live',
  // `at`: when it was enqueued, in milliseconds. The next job of a part must not have the id of one that runs.
  payload: z.strictObject({ part: filingPart, at: z.number().int().min(0) }),
  jobId: ({ part, at }) => `parses-${part}-at${at}`,
  key: ({ part }) => part,
  attempts: 8,
  backoffMs: 500,
  concurrency: 1,
  keepsFailed: false,
  lockMs: SHORT_LOCK_MS,
});

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
