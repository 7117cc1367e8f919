import { brief } from '../../queues/brief.ts';
import { diff } from '../../queues/diff.ts';
import { insider } from '../../queues/insider.ts';
import type { Cik, QuarterEnd, Ticker } from '../../src/domain/ids.ts';
import {
  type InvalidationDoc,
  type InvalidationKind,
  invalidationsIn,
  listPending,
} from '../../src/store/invalidation/invalidations.ts';
import { currentBriefsIn } from '../../src/store/publish/briefs.ts';
import { publishedCorpus } from '../../src/store/publish/corpus.ts';
import type { JobContext } from '../worker/context.ts';

/** At most this many keys are woken up at once; the dispatcher comes back for the rest. */
const BATCH = 2_000;

/** Enqueues the comparison of reports that are marked; without keys, of all that are. */
export async function enqueuePendingReports(context: JobContext, keys?: readonly string[]): Promise<number> {
  const marked = await markedOf(context, 'report', keys);
  const payloads = marked.map((doc) => {
    const [cik, quarterEnd] = doc.key.split('|') as [Cik, QuarterEnd];
    return { cik, quarterEnd, version: Number(doc.version) };
  });
  await context.producer.enqueueAll(diff, payloads);
  return payloads.length;
}

/**
 * Enqueues the reconciliation of issuers that are marked. Only the dispatcher does, so that a storm of
 * forms of one issuer, all of which are read each time, costs one run an interval.
 */
export async function enqueuePendingInsiders(context: JobContext): Promise<number> {
  const marked = await markedOf(context, 'insider');
  const payloads = marked.map((doc) => ({ cik: doc.key as Cik, version: Number(doc.version) }));
  await context.producer.enqueueAll(insider, payloads);
  return payloads.length;
}

/**
 * Enqueues the briefs of marked tickers, but for those built less than the debounce ago: a storm of
 * filings costs one brief a ticker and interval. None before the corpus is published.
 */
export async function enqueuePendingBriefs(
  context: JobContext,
  tickers?: readonly string[],
): Promise<number> {
  if ((await publishedCorpus(context.db)) === null) return 0;
  const marked = await markedOf(context, 'brief', tickers);
  const fresh = await builtLately(context, marked);
  const payloads = marked
    .filter((doc) => !fresh.has(doc.key))
    .map((doc) => ({ ticker: doc.key as Ticker, version: Number(doc.version) }));
  await context.producer.enqueueAll(brief, payloads);
  return payloads.length;
}

async function markedOf(
  { db }: JobContext,
  kind: InvalidationKind,
  keys?: readonly string[],
): Promise<InvalidationDoc[]> {
  if (keys === undefined) return listPending(db, kind, BATCH);
  return invalidationsIn(db)
    .find({ _id: { $in: keys.map((key) => `${kind}|${key}`) }, pending: true })
    .toArray();
}

async function builtLately(
  { db, config, now }: JobContext,
  marked: readonly InvalidationDoc[],
): Promise<Set<string>> {
  if (config.briefDebounceMs === 0 || marked.length === 0) return new Set();
  const since = new Date(now().getTime() - config.briefDebounceMs).toISOString();
  const heads = await currentBriefsIn(db)
    .find({ _id: { $in: marked.map((doc) => doc.key as Ticker) }, builtAt: { $gt: since } })
    .toArray();
  return new Set(heads.map((head) => head._id));
}
