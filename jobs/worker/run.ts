import { setTimeout as wait } from 'node:timers/promises';
import { type Job as BullJob, DelayedError, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { QUEUES, type QueueName } from '../../queues/index.ts';
import { QUEUE_GROUPS, type QueueGroup, type QueueSpec } from '../../queues/queue.ts';
import { DAY_MS } from '../../src/domain/calendar.ts';
import { EdgarError } from '../../src/edgar/error.ts';
import { AppError } from '../../src/errors.ts';
import { countStart } from '../../src/store/process/heartbeats.ts';
import { JOBS } from '../index.ts';
import type { JobContext } from './context.ts';
import { bullPrefix } from './producer.ts';
import type { Progress } from './watch.ts';

/** Of each queue and end, so that Redis stays small whatever runs. */
const KEPT = 200;

type Finished = {
  readonly end: 'completed' | 'failed';
  /** As of BullMQ: the queue's keys begin with it. */
  readonly keyPrefix: string;
  readonly at: Date;
};

/** A job whose worker died is given to another worker within two of these. */
const STALLED_MS = 5_000;

/** What fails while its worker is stopped is another worker's next, and no failed attempt. */
const RESUME_MS = 1_000;

/** A deployment may kill several workers in the same job. MongoDB counts the crashes that matter. */
const MAX_STALLS = 3;

/** A day, for the charts of Bull Board. */
const MINUTES_OF_METRICS = 1_440;

/** What takes longer at a stop is left to another worker, as after a crash. */
const CLOSE_MS = 25_000;

/** Starts a worker for every queue of the groups. */
export function startWorkers(
  context: JobContext,
  connection: Redis,
  groups: readonly QueueGroup[] = QUEUE_GROUPS,
) {
  if (groups.includes('live')) {
    // Without it, kills that come from outside are blamed on what was read.
    countStart(context.db).catch((err) => context.log.warn({ err }, 'the start of a worker was not counted'));
  }
  const stop = new AbortController();
  const names = (Object.keys(QUEUES) as QueueName[]).filter((name) => groups.includes(QUEUES[name].group));
  const progress = new Map<QueueName, Progress>();
  const workers = names.map((name) => {
    const job = counted(JOBS[name] as AnyJob, (last) => progress.set(name, last));
    const work: Work = { spec: QUEUES[name] as QueueSpec<unknown>, job };
    return startWorker({ ...context, stopping: stop.signal }, work, connection);
  });
  return {
    /** What each queue did last here, for the watch over this process. */
    progress: (): ReadonlyMap<QueueName, Progress> => progress,
    /** Takes no more jobs and waits for those at work, for 25 s. */
    close: async (): Promise<void> => {
      stop.abort();
      const closed = Promise.all(workers.map((worker) => worker.close()));
      const end = await Promise.race([closed, wait(CLOSE_MS, 'late', { ref: false })]);
      if (end === 'late') context.log.warn('jobs are left to another worker');
    },
  };
}

/** Notes after each start and end of a job how many are at work, and when that was. */
function counted(job: AnyJob, note: (progress: Progress) => void): AnyJob {
  let active = 0;
  const count = (change: number): void => {
    active += change;
    note({ active, at: performance.now() });
  };
  count(0);
  return async (context, payload) => {
    count(1);
    try {
      await job(context, payload);
    } finally {
      count(-1);
    }
  };
}

type AnyJob = (context: JobContext, payload: unknown) => Promise<void>;
type Work = { readonly spec: QueueSpec<unknown>; readonly job: AnyJob };

function startWorker(context: JobContext, work: Work, connection: Redis): Worker {
  const { spec } = work;
  const worker = new Worker(spec.name, (bull, token) => runJob(context, work, { bull, token }), {
    connection,
    prefix: bullPrefix(context.config.queuePrefix),
    concurrency: spec.concurrency,
    lockDuration: spec.lockMs,
    stalledInterval: STALLED_MS,
    maxStalledCount: MAX_STALLS,
    metrics: { maxDataPoints: MINUTES_OF_METRICS },
  });
  const keep = (bull: BullJob, end: 'completed' | 'failed'): void => {
    const keyPrefix = `${bullPrefix(context.config.queuePrefix)}:${spec.name}:`;
    // Only for the operator to see: a Redis that is away loses it.
    keepFinished(connection, bull, { end, keyPrefix, at: context.now() }).catch((err) =>
      context.log.debug({ queue: spec.name, err }, 'a finished job was not kept'),
    );
  };
  worker.on('completed', (bull) => keep(bull, 'completed'));
  worker.on('error', (error) => context.log.debug({ queue: spec.name, err: error }, 'worker connection'));
  worker.on('failed', (bull, error) => {
    const left = (bull?.opts.attempts ?? 1) - (bull?.attemptsMade ?? 0);
    const isLast = left <= 0 || error instanceof UnrecoverableError;
    if (bull !== undefined && isLast && !spec.keepsFailed) keep(bull, 'failed');
    context.log[isLast ? 'error' : 'info'](
      { queue: spec.name, job: bull?.id, attemptsLeft: left, err: error.message },
      'job failed',
    );
  });
  return worker;
}

type Run = { readonly bull: BullJob; readonly token: string | undefined };

/** Whether BullMQ retries is the error's property. A job of another release has a payload of another shape. */
async function runJob(context: JobContext, { spec, job }: Work, { bull, token }: Run): Promise<void> {
  const payload = spec.payload.safeParse(bull.data);
  if (!payload.success) throw new UnrecoverableError(`not a payload of ${spec.name}`);
  try {
    await job(context, payload.data);
  } catch (error) {
    const waitMs = context.stopping.aborted ? RESUME_MS : retryAfterMs(error);
    if (waitMs !== null) {
      await bull.moveToDelayed(context.now().getTime() + waitMs, token);
      throw new DelayedError();
    }
    if (error instanceof AppError && !error.retry) throw new UnrecoverableError(error.message);
    throw error;
  }
}

function retryAfterMs(error: unknown): number | null {
  return error instanceof EdgarError ? error.retryAfterMs : null;
}

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
  const [list, id] = [`${keyPrefix}${end}`, `${job.id}-at${finishedOn}`];
  const answers = await redis
    .multi()
    .hset(`${keyPrefix}${id}`, fields)
    .zadd(list, finishedOn, id)
    .zrange(list, '-inf', `(${at.getTime() - DAY_MS}`, 'BYSCORE')
    .zrange(list, 0, String(-1 - KEPT))
    .exec();
  const dropped = (answers ?? []).slice(2).flatMap(([, ids]) => (ids ?? []) as string[]);
  if (dropped.length === 0) return;
  const keys = dropped.map((one) => `${keyPrefix}${one}`);
  await redis.multi().del(keys).zrem(list, dropped).exec();
}
