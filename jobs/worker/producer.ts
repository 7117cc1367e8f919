import { type BulkJobOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { QUEUES, type QueueName } from '../../queues/index.ts';
import type { QueueSpec } from '../../queues/queue.ts';
import { batches } from '../../src/domain/group.ts';
import { loadScript } from '../../src/redis-script.ts';

const runNotQueued = loadScript(new URL('not-queued.lua', import.meta.url));

/** Puts work on the queues. Only jobs, the scheduler and the operator's command line have one. */
export type Producer = {
  readonly enqueue: <P>(spec: QueueSpec<P>, payload: P) => Promise<void>;
  readonly enqueueAll: <P>(spec: QueueSpec<P>, payloads: readonly P[]) => Promise<void>;
  /** {@link enqueueAll}; those that wait already under a lower priority move up. */
  readonly moveUp: <P>(spec: QueueSpec<P>, payloads: readonly P[]) => Promise<void>;
  /** The number of jobs that wait, run or are delayed on the named queues. */
  readonly load: (names: readonly QueueName[]) => Promise<number>;
  /** The number of jobs that a worker could take now: none of a paused queue. */
  readonly waiting: (name: QueueName) => Promise<number>;
  /** The number of connected workers of a queue. */
  readonly workers: (name: string) => Promise<number>;
  /** Removes every job of the queues, running ones included. */
  readonly clear: (names: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** BullMQ's prefix is in braces, so that all keys of a queue share a Redis Cluster slot. */
export function bullPrefix(prefix: string): string {
  return `{${prefix}}`;
}

/** Jobs of one command. */
const BATCH = 500;

/** @param connection a queue Redis (`openQueueRedis`), which the caller closes */
export function openProducer(connection: Redis, prefix: string): Producer {
  const open = new Map<string, Queue>();
  const queueOf = (name: string): Queue => {
    const known = open.get(name);
    if (known !== undefined) return known;
    const queue = new Queue(name, { connection, prefix: bullPrefix(prefix) });
    queue.on('error', () => undefined);
    open.set(name, queue);
    return queue;
  };
  async function enqueueAll<P>(spec: QueueSpec<P>, payloads: readonly P[]): Promise<void> {
    for (const batch of batches(payloads, BATCH)) {
      const queue = queueOf(spec.name);
      const jobs = batch.map((payload) => jobOf(spec, payload));
      // One addition costs no more than the look whether it is needed.
      const fresh = jobs.length === 1 ? jobs : await notQueued(connection, queue, jobs);
      if (fresh.length > 0) await queue.addBulk(fresh);
    }
  }
  return {
    enqueue: (spec, payload) => enqueueAll(spec, [payload]),
    enqueueAll,
    moveUp: async (spec, payloads) => {
      await enqueueAll(spec, payloads);
      for (const payload of payloads) await moveUp(queueOf(spec.name), spec, payload);
    },
    load: async (names) => {
      const counts = await Promise.all(
        names.map((name) =>
          queueOf(QUEUES[name].name).getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized'),
        ),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    },
    waiting: async (name) => {
      const queue = queueOf(QUEUES[name].name);
      const [isPaused, count] = await Promise.all([
        queue.isPaused(),
        queue.getJobCountByTypes('waiting', 'prioritized'),
      ]);
      return isPaused ? 0 : count;
    },
    workers: (name) => queueOf(name).getWorkersCount(),
    clear: async (names) => {
      for (const name of names) await queueOf(name).obliterate({ force: true });
    },
    close: async () => {
      await Promise.all([...open.values()].map((queue) => queue.close()));
    },
  };
}

/** Without those that BullMQ would drop: the dispatcher adds all that is pending again and again. */
async function notQueued<P>(connection: Redis, queue: Queue, jobs: readonly NewJob<P>[]) {
  const named = jobs.flatMap(({ opts }) => [opts.jobId, opts.deduplication?.id ?? '']);
  const places = await runNotQueued(connection, [queue.toKey('active')], [queue.toKey(''), ...named]);
  const fresh = new Set(places as number[]);
  return jobs.filter((_, at) => fresh.has(at));
}

/** A job that was added before keeps its own priority: of its id, or of its key under another version. */
async function moveUp<P>(queue: Queue, { key, priority, jobId }: QueueSpec<P>, payload: P): Promise<void> {
  const wanted = priority?.(payload);
  const own = key(payload);
  const id = own === null ? jobId(payload) : await queue.getDeduplicationJobId(own);
  const job = wanted === undefined || id === null ? undefined : await queue.getJob(id);
  if (wanted === undefined || job === undefined || (job.priority ?? 0) <= wanted) return;
  await job.changePriority({ priority: wanted });
}

type NewJob<P> = {
  readonly name: string;
  readonly data: P;
  readonly opts: BulkJobOptions & { readonly jobId: string };
};

function jobOf<P>(spec: QueueSpec<P>, payload: P): NewJob<P> {
  const key = spec.key(payload);
  return {
    name: spec.name,
    data: spec.payload.parse(payload),
    opts: {
      jobId: spec.jobId(payload),
      // A job that runs keeps the last one that was added: its input changed after it was read.
      ...(key === null ? {} : { deduplication: { id: key, keepLastIfActive: true } }),
      ...(spec.priority === null ? {} : { priority: spec.priority(payload) }),
      attempts: spec.attempts,
      backoff: { type: 'exponential', delay: spec.backoffMs, jitter: 0.5 },
      // A finished id may come again at once. The worker keeps a copy for the operator.
      removeOnComplete: true,
      removeOnFail: spec.keepsFailed ? { count: 1_000 } : true,
    },
  };
}
