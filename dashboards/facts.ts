import type { Metrics, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Config } from '../src/config.ts';
import type { Context } from '../src/context.ts';
import { creditProblems, creditsStatus } from '../src/credits/ledger/status.ts';
import { openEdgarBucket } from '../src/edgar/client/bucket.ts';
import { FORMS } from '../src/forms/index.ts';
import { openQuarterCounts, serviceStatus, withProblems } from '../src/read/status/status.ts';
import { listCorrections } from '../src/store/publish/briefs.ts';

/** What the operators' pages need of a process; they close nothing of it. */
export type BoardContext = Pick<Context, 'db' | 'creditsRedis' | 'now'> & { readonly config: Config };

export type Facts = Awaited<ReturnType<ReturnType<typeof openFacts>>>;

/** A page and Prometheus may ask at the same time. */
const KEPT_MS = 5_000;
const CORRECTIONS = 20;

/** Reads what operators see: the status with its reasons, queues, credits, EDGAR, corrections. */
export function openFacts(
  { db, creditsRedis, now, config }: BoardContext,
  queues: readonly Queue[],
  redis: Redis,
) {
  const source = { db, now, forms: FORMS, countQuarters: openQuarterCounts(now) };
  const rate = config.edgarRequestsPerSecond;
  const bucket = openEdgarBucket({ redis, prefix: config.queuePrefix, requestsPerSecond: rate });
  const store = { db, redis: creditsRedis, tag: config.creditsTag, now };
  const read = async () => {
    const [service, credits, facts, blockedMs, corrections] = await Promise.all([
      serviceStatus(source),
      creditsStatus(store),
      readQueues(queues, now()),
      bucket.blockedForMs(),
      listCorrections(db, null, CORRECTIONS),
    ]);
    const blocked = blockedMs > 0 ? [`EDGAR blocks us for ${Math.ceil(blockedMs / 1_000)} s more`] : [];
    const status = withProblems(service, [...creditProblems(credits), ...blocked]);
    return { at: now(), status, credits, queues: facts, edgar: { rate, blockedMs }, corrections };
  };
  let kept: { readonly at: number; readonly found: ReturnType<typeof read> } | null = null;
  return (): ReturnType<typeof read> => {
    const at = now().getTime();
    if (kept === null || Math.abs(at - kept.at) >= KEPT_MS) kept = { at, found: read() };
    return kept.found;
  };
}

/** A queue as an operator sees it. */
type QueueFacts = {
  readonly name: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  /** Finished in the last 24 hours. */
  readonly completed: number;
  readonly failed: number;
  /** Of the job that is next, since it was added; null without one. */
  readonly oldestSeconds: number | null;
  /** Median of the last completed jobs; null without one. */
  readonly jobSeconds: number | null;
  /** Finished jobs by the hour, the oldest first. */
  readonly hours: readonly number[];
};

const DAY_MINUTES = 1_440;
const MINUTE_MS = 60_000;
/** Completed jobs whose median is taken. */
const TIMED = 50;

/** The facts of every queue, from the queues alone: it costs the same however long they are. */
function readQueues(queues: readonly Queue[], now: Date): Promise<QueueFacts[]> {
  return Promise.all(queues.map((queue) => readQueue(queue, now)));
}

async function readQueue(queue: Queue, now: Date): Promise<QueueFacts> {
  const [counts, [next], last, completed, failed] = await Promise.all([
    queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed'),
    queue.getJobs(['waiting', 'prioritized'], 0, 0, true),
    queue.getCompleted(0, TIMED - 1),
    queue.getMetrics('completed', 0, DAY_MINUTES - 1),
    queue.getMetrics('failed', 0, DAY_MINUTES - 1),
  ]);
  const seconds = last.flatMap(({ processedOn, finishedOn }) =>
    processedOn === undefined || finishedOn === undefined ? [] : [(finishedOn - processedOn) / 1_000],
  );
  const hours = finishedByHour(completed, now);
  return {
    name: queue.name,
    waiting: (counts['waiting'] ?? 0) + (counts['prioritized'] ?? 0),
    active: counts['active'] ?? 0,
    delayed: counts['delayed'] ?? 0,
    completed: sum(hours),
    failed: sum(finishedByHour(failed, now)),
    oldestSeconds: next === undefined ? null : Math.max(0, (now.getTime() - next.timestamp) / 1_000),
    jobSeconds: seconds.sort((a, b) => a - b)[Math.floor(seconds.length / 2)] ?? null,
    hours,
  };
}

/**
 * Finished jobs of the last 24 hours by the hour, the oldest first. BullMQ adds a minute to `data` when a job
 * finishes in a later one. Until then the jobs of its last minute, that of `prevTS`, are only in `count`.
 */
export function finishedByHour({ meta, data }: Pick<Metrics, 'meta' | 'data'>, now: Date): number[] {
  const age = Math.floor(now.getTime() / MINUTE_MS) - Math.floor(meta.prevTS / MINUTE_MS);
  const byMinute = [meta.count - meta.prevCount, ...data.map(Number)];
  const hours = new Array<number>(24).fill(0);
  for (const [minute, count] of byMinute.entries()) {
    const hour = 23 - Math.floor(Math.max(0, age + minute) / 60);
    if (hour >= 0) hours[hour] = (hours[hour] ?? 0) + count;
  }
  return hours;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
