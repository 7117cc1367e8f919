import { type JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { QUEUES, type QueueName } from '../../queues/index.ts';
import type { QueueSpec } from '../../queues/queue.ts';

/** Puts work on the queues. Only jobs, the scheduler and the operator's command line hold one. */
export type Producer = {
  readonly enqueue: <P>(spec: QueueSpec<P>, payload: P, options?: EnqueueOptions) => Promise<void>;
  readonly enqueueAll: <P>(spec: QueueSpec<P>, payloads: readonly P[]) => Promise<void>;
  /** Jobs that wait, run or are delayed, over the named queues. */
  readonly load: (names: readonly QueueName[]) => Promise<number>;
  readonly close: () => Promise<void>;
};

export type EnqueueOptions = { readonly delayMs?: number };

/** BullMQ's prefix stands in braces, so that all keys of a queue share a Redis Cluster slot. */
export function bullPrefix(prefix: string): string {
  return `{${prefix}}`;
}

/** @param connection a queue Redis (`openQueueRedis`); stays the caller's to close. */
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
  return {
    enqueue: async (spec, payload, options = {}) => {
      await queueOf(spec.name).add(
        spec.name,
        spec.payload.parse(payload),
        jobOptions(spec, payload, options),
      );
    },
    enqueueAll: async (spec, payloads) => {
      for (let start = 0; start < payloads.length; start += 500) {
        const jobs = payloads.slice(start, start + 500).map((payload) => ({
          name: spec.name,
          data: spec.payload.parse(payload),
          opts: jobOptions(spec, payload, {}),
        }));
        await queueOf(spec.name).addBulk(jobs);
      }
    },
    load: async (names) => {
      const counts = await Promise.all(
        names.map((name) =>
          queueOf(QUEUES[name].name).getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized'),
        ),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    },
    close: async () => {
      await Promise.all([...open.values()].map((queue) => queue.close()));
    },
  };
}

function jobOptions<P>(spec: QueueSpec<P>, payload: P, options: EnqueueOptions): JobsOptions {
  return {
    jobId: spec.jobId(payload),
    attempts: spec.attempts,
    backoff: { type: 'exponential', delay: spec.backoffMs, jitter: 0.5 },
    ...(options.delayMs === undefined ? {} : { delay: options.delayMs }),
    // A completed id may come again at once.
    removeOnComplete: true,
    removeOnFail: spec.keepsFailed ? { count: 1_000 } : true,
  };
}
