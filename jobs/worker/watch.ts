import type { Redis } from 'ioredis';
import type { QueueName } from '../../queues/index.ts';
import type { Producer } from './producer.ts';

/** BullMQ reconnects in a second or two; a connection that does not come back needs a new process. */
const REDIS_LIMIT_MS = 30_000;
/** A worker takes a waiting job within milliseconds. */
const IDLE_LIMIT_MS = 120_000;
const REPLY_MS = 5_000;

/** What the worker of a queue did last, by `performance.now()`. */
export type Progress = { readonly active: number; readonly at: number };

type Watched = {
  readonly redis: Redis;
  readonly producer: Pick<Producer, 'waiting'>;
  /** Of each queue that this process works on; none for a scheduler. */
  readonly progress: () => ReadonlyMap<QueueName, Progress>;
  /** Milliseconds of a clock that only goes forward. */
  readonly clock?: () => number;
  /** How long Redis may take for one look. */
  readonly replyMs?: number;
};

/**
 * Judges a process of the queues each time it is called. Wedged is one whose Redis has not answered for
 * 30 s, or that takes no job of a queue for 120 s although jobs wait there and it has none of it at work.
 */
export function openWatch(watched: Watched) {
  const { redis, producer, progress, clock = () => performance.now(), replyMs = REPLY_MS } = watched;
  let answered = clock();
  const idleSince = new Map<QueueName, number>();
  const silent = () => {
    const seconds = Math.round((clock() - answered) / 1_000);
    const problem = `the Redis of the queues has not answered for ${seconds} s`;
    return clock() - answered < REDIS_LIMIT_MS
      ? { problems: [problem] }
      : { problems: [problem], wedged: problem };
  };
  return async (): Promise<{ readonly problems: readonly string[]; readonly wedged?: string }> => {
    const queues = [...progress()];
    const waiting = await inTime(Promise.all(queues.map(([name]) => producer.waiting(name))), redis, replyMs);
    if (waiting === null) return silent();
    answered = clock();
    for (const [at, [name, { active, at: last }]] of queues.entries()) {
      if (active > 0 || waiting[at] === 0) {
        idleSince.delete(name);
        continue;
      }
      const since = Math.max(last, idleSince.get(name) ?? clock());
      idleSince.set(name, since);
      if (clock() - since < IDLE_LIMIT_MS) continue;
      const problem = `jobs of ${name} wait, and this worker has taken none for ${IDLE_LIMIT_MS / 1_000} s`;
      return { problems: [problem], wedged: problem };
    }
    return { problems: [] };
  };
}

/**
 * Null when Redis does not answer in time: its commands wait until it is back. After a long computation the
 * timer is due before the sockets are read, and what came in meanwhile is an answer in time: it is read first.
 */
async function inTime<T>(counted: Promise<T>, redis: Redis, replyMs: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve, null), replyMs);
  });
  try {
    // A queue without a worker here is not asked, so Redis is.
    return await Promise.race([redis.ping().then(() => counted), late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
