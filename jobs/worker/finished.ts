import type { Job as BullJob } from 'bullmq';
import type { Redis } from 'ioredis';
import { DAY_MS } from '../../src/domain/calendar.ts';
import { loadScript } from '../../src/redis-script.ts';

const runKeep = loadScript(new URL('keep-finished.lua', import.meta.url));

/** Of each queue and end, so that Redis stays small whatever runs. */
const KEPT = 200;

type Finished = {
  readonly end: 'completed' | 'failed';
  /** As of BullMQ: the queue's keys begin with it. */
  readonly keyPrefix: string;
  readonly at: Date;
};

/**
 * Keeps the last finished jobs of a day for Bull Board. They are copies under ids of their own: a job that BullMQ
 * itself kept would swallow the next one of its id, which may come at once.
 */
export async function keepFinished(
  redis: Redis,
  job: BullJob,
  { end, keyPrefix, at }: Finished,
): Promise<void> {
  const finishedOn = job.finishedOn ?? at.getTime();
  const fields = {
    name: job.name,
    data: JSON.stringify(job.data),
    opts: JSON.stringify({ attempts: job.opts.attempts }),
    timestamp: job.timestamp,
    processedOn: job.processedOn ?? finishedOn,
    finishedOn,
    atm: job.attemptsMade,
    ats: job.attemptsStarted,
    ...(end === 'completed'
      ? { returnvalue: 'null' }
      : { failedReason: job.failedReason, stacktrace: JSON.stringify(job.stacktrace?.slice(-1) ?? []) }),
  };
  await runKeep(
    redis,
    [`${keyPrefix}${end}`],
    [
      ...[keyPrefix, `${job.id}-at${finishedOn}`, finishedOn, KEPT, at.getTime() - DAY_MS].map(String),
      ...Object.entries(fields).flat().map(String),
    ],
  );
}
