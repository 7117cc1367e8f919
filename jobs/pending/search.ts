import { holders } from '../../queues/holders.ts';
import { search } from '../../queues/search.ts';
import type { QuarterEnd } from '../../src/domain/ids.ts';
import { type InvalidationDoc, listPending } from '../../src/store/invalidation/invalidations.ts';
import { publishedCorpus } from '../../src/store/publish/corpus.ts';
import { computedAt, SEARCH_PARTS } from '../../src/store/publish/search-parts.ts';
import type { JobContext } from '../worker/context.ts';

const BATCH = 2_000;
/** A part waits for its holders to be counted, but not for ever: in a storm there is always more to count. */
const PATIENCE_MS = 30_000;

/**
 * Enqueues what is marked of the search index, but for what was computed less than the debounce ago.
 * None before the corpus is published. Only the dispatcher does: a search is seconds behind at most.
 */
export async function enqueuePendingSearch(context: JobContext): Promise<void> {
  const { db } = context;
  const published = await publishedCorpus(db);
  if (published === null) return;
  const counts = await listPending(db, 'holders', BATCH);
  await enqueuePendingHolders(context, counts);
  const counting = new Set(counts.map((doc) => doc.key.split('|')[0]));
  await enqueuePendingParts(context, counting, published.at);
}

async function enqueuePendingHolders(
  { db, config, now, producer }: JobContext,
  marked: readonly InvalidationDoc[],
): Promise<void> {
  const done = await computedAt(
    db,
    'search_holders',
    marked.map((doc) => doc.key),
  );
  const since = ago(now(), config.briefDebounceMs);
  const payloads = marked
    .filter((doc) => (done.get(doc.key) ?? '') <= since)
    .map((doc) => {
      const [part, quarterEnd] = doc.key.split('|') as [string, QuarterEnd];
      return { part, quarterEnd, version: Number(doc.version) };
    });
  await producer.enqueueAll(holders, payloads);
}

async function enqueuePendingParts(
  { db, config, now, producer }: JobContext,
  counting: ReadonlySet<string | undefined>,
  publishedAt: string,
): Promise<void> {
  const marked = await listPending(db, 'search', SEARCH_PARTS.length);
  const done = await computedAt(
    db,
    'search_parts',
    marked.map((doc) => doc.key),
  );
  const [debounced, patient] = [ago(now(), config.briefDebounceMs), ago(now(), PATIENCE_MS)];
  const payloads = marked
    .filter(({ key }) => (done.get(key) ?? '') <= debounced)
    .filter(({ key }) => !counting.has(key) || (done.get(key) ?? publishedAt) <= patient)
    .map((doc) => ({ part: doc.key, version: Number(doc.version) }));
  await producer.enqueueAll(search, payloads);
}

function ago(now: Date, ms: number): string {
  return new Date(now.getTime() - ms).toISOString();
}
