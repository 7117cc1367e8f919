import { z } from 'zod';
import {
  accession,
  day,
  defineQueue,
  filingPart,
  lane,
  type QueueSpec,
  run,
  SHORT_LOCK_MS,
  slot,
  urgency,
} from './queue.ts';

/** One filing by its number, or those of history in a part that come next: together they cost as much as a few. */
const unit = z.union([
  z.strictObject({ accession, filedDate: day.optional(), lane, run }),
  // `at`: when it was enqueued, in milliseconds. The next job of a part must not have the id of one that runs.
  z.strictObject({ part: filingPart, at: z.number().int().min(0) }),
]);

/** What names the filings that a stage handles together. */
export type FilingUnit = z.infer<typeof unit>;

type Stage = Pick<QueueSpec<FilingUnit>, 'name' | 'about' | 'backoffMs' | 'concurrency'>;

function defineStage(stage: Stage): QueueSpec<FilingUnit> {
  const { name } = stage;
  return defineQueue({
    ...stage,
    group: 'live',
    payload: unit,
    jobId: (of) =>
      'part' in of ? `${name}-part${of.part}-at${of.at}` : `${name}-${of.accession}-r${of.run}`,
    key: (of) => ('part' in of ? of.part : null),
    priority: (of) => urgency('part' in of ? {} : { lane: of.lane, day: of.filedDate }),
    lockMs: SHORT_LOCK_MS,
  });
}

export const fetch = defineStage({
  name: 'fetch',
  about:
    'Fetches the full submission of one filing, or of a unit of history, and stores the bytes by SHA-256.',
  backoffMs: 2_000,
  // More than the parts of history, so that something is left for what is live.
  concurrency: 10,
});

export const parse = defineStage({
  name: 'parse',
  about:
    'Parses one stored submission, or a unit of history, in a thread, and compares what is live. What cannot be parsed is quarantined.',
  backoffMs: 1_000,
  concurrency: 6,
});

export const sequence = defineQueue({
  name: 'sequence',
  about: 'Gives every parsed event the next number of the stream. No number is lost, reused or changed.',
  group: 'live',
  payload: z.strictObject({ slot }),
  jobId: ({ slot: start }) => `sequence-${start}`,
  attempts: 3,
  backoffMs: 200,
});
