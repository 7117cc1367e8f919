import { type Job as BullJob, DelayedError, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { QUEUES, type QueueName } from '../queues/index.ts';
import type { QueueSpec } from '../queues/queue.ts';
import type { Accession } from '../src/domain/ids.ts';
import { EdgarError } from '../src/edgar/edgar-error.ts';
import { AppError } from '../src/errors.ts';
import { parkFiling } from '../src/store/stage.ts';
import type { Job, JobContext } from './context.ts';
import { JOBS } from './index.ts';
import { bullPrefix } from './producer.ts';

/** A job whose worker died is given to another one within two of these. */
const STALLED_MS = 5_000;
/** A deploy may kill a worker more than once in the same job; Mongo counts the crashes that matter. */
const MAX_STALLS = 3;
/** The driver leaves a filing alone while BullMQ retries it, and longer after the last try. */
const RETRYING_MS = 10 * 60_000;
const PARKED_MS = 30 * 60_000;
/** Failures that are the filing's own; all others are not counted against it. */
const PARSER_CRASHES = new Set(['parse_timeout', 'parse_crashed']);

export type Workers = { readonly close: () => Promise<void> };

/** Starts a worker for every queue. Refuses to start when a queue has no job. */
export function startWorkers(context: JobContext, connection: Redis): Workers {
  const workers = (Object.keys(QUEUES) as QueueName[]).map((name) => {
    const job = JOBS[name] as Job<unknown> | undefined;
    if (job === undefined) throw new AppError('queue_without_job', `no job for the queue "${name}"`);
    return startWorker(context, { spec: QUEUES[name] as QueueSpec<unknown>, job, connection });
  });
  return {
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

type Parts = { readonly spec: QueueSpec<unknown>; readonly job: Job<unknown>; readonly connection: Redis };

function startWorker(context: JobContext, { spec, job, connection }: Parts): Worker {
  const worker = new Worker(
    spec.name,
    (bull: BullJob, token?: string) => runJob(context, { spec, job }, { bull, token }),
    {
      connection,
      prefix: bullPrefix(context.config.queuePrefix),
      concurrency: spec.concurrency,
      lockDuration: spec.lockMs,
      stalledInterval: STALLED_MS,
      maxStalledCount: MAX_STALLS,
    },
  );
  worker.on('error', (error) => context.log.debug({ queue: spec.name, err: error }, 'worker connection'));
  worker.on('failed', (bull, error) => {
    const left = (bull?.opts.attempts ?? 1) - (bull?.attemptsMade ?? 0);
    const level = left > 0 && !(error instanceof UnrecoverableError) ? 'info' : 'error';
    context.log[level](
      { queue: spec.name, job: bull?.id, attemptsLeft: left, err: error.message },
      'job failed',
    );
  });
  return worker;
}

type Run = { readonly bull: BullJob; readonly token: string | undefined };

/** Turns the error's own `retry` into what BullMQ does next. */
async function runJob(
  context: JobContext,
  { spec, job }: Pick<Parts, 'spec' | 'job'>,
  { bull, token }: Run,
): Promise<void> {
  try {
    await job(context, spec.payload.parse(bull.data));
  } catch (error) {
    await park(context, bull, error);
    if (error instanceof EdgarError && error.retryAfterMs !== null) {
      await bull.moveToDelayed(Date.now() + error.retryAfterMs, token);
      throw new DelayedError();
    }
    if (error instanceof AppError && !error.retry) throw new UnrecoverableError(error.message);
    throw error;
  }
}

async function park({ db, now }: JobContext, bull: BullJob, error: unknown): Promise<void> {
  const { accession } = bull.data as { accession?: Accession };
  if (accession === undefined) return;
  const isLast = bull.attemptsMade + 1 >= (bull.opts.attempts ?? 1);
  const until = new Date(now().getTime() + (isLast ? PARKED_MS : RETRYING_MS));
  const isCrash = error instanceof AppError && PARSER_CRASHES.has(error.code);
  await parkFiling(db, accession, { until, isCrash });
}
