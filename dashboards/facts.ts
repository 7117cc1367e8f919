import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Config } from '../src/config.ts';
import type { Context } from '../src/context.ts';
import { creditProblems, creditsStatus } from '../src/credits/ledger/status.ts';
import { openEdgarBucket } from '../src/edgar/client/bucket.ts';
import { FORMS } from '../src/forms/index.ts';
import { openQuarterCounts } from '../src/read/status/quarters.ts';
import { serviceStatus, withProblems } from '../src/read/status/status.ts';
import { listCorrections } from '../src/store/publish/corrections.ts';
import { readQueues } from './queues.ts';

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
