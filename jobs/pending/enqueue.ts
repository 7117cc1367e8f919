import { brief } from '../../queues/brief.ts';
import { diff } from '../../queues/diff.ts';
import { insider } from '../../queues/insider.ts';
import type { QueueSpec } from '../../queues/queue.ts';
import type { Lane } from '../../src/domain/filing/lane.ts';
import {
  type InvalidationDoc,
  type InvalidationKind,
  invalidationsIn,
  listPending,
} from '../../src/store/invalidation/invalidations.ts';
import { findAmong, findByIds } from '../../src/store/mongo/lists.ts';
import { publishedCorpus } from '../../src/store/publish/corpus.ts';
import type { JobContext } from '../worker/context.ts';

/** At most this many keys are enqueued at once. The dispatcher comes back for the rest. */
export const BATCH = 2_000;

/** A backlog stays in MongoDB: a queue that has more jobs than this gets no history. */
export const MAX_ENQUEUED = 500;

/** While reports still change, what waits for all of them is computed this often: they may never stop. */
export const BUSY_MS = 600_000;

/**
 * Enqueues a job for each pending key. The parts of the key become the named fields of the payload,
 * whose schema checks them.
 */
export async function enqueueKeys<Payload>(
  { producer }: JobContext,
  spec: QueueSpec<Payload>,
  pending: readonly InvalidationDoc[],
  names: readonly string[],
): Promise<void> {
  await producer.enqueueAll(
    spec,
    pending.map(({ key, version }) =>
      spec.payload.parse({ ...fieldsOf(key, names), version: Number(version) }),
    ),
  );
}

function fieldsOf(key: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(key.split('|').map((part, at) => [names[at], part]));
}

/** Keys that a filing of the lane has invalidated. */
type Followers = { readonly keys: readonly string[]; readonly lane?: Lane | undefined };

/**
 * Enqueues the comparison of pending reports: those of the keys, or the ones that have waited longest. A full
 * queue gets none, except of live filings: they wait in MongoDB for the dispatcher.
 */
export async function enqueuePendingReports(context: JobContext, followers?: Followers): Promise<void> {
  const { producer } = context;
  if (followers?.lane !== 'live' && (await producer.load(['diff'])) >= MAX_ENQUEUED) return;
  const pending = await pendingOf(context, 'report', followers?.keys);
  if (followers?.lane !== 'live') return enqueueKeys(context, diff, pending, ['cik', 'quarterEnd']);
  await moveUp(context, diff, { pending, names: ['cik', 'quarterEnd'] });
}

type Keyed = { readonly pending: readonly InvalidationDoc[]; readonly names: readonly string[] };

/** {@link enqueueKeys} of live filings: what waits already for another one moves up. */
async function moveUp<Payload>(
  { producer }: JobContext,
  spec: QueueSpec<Payload>,
  { pending, names }: Keyed,
): Promise<void> {
  const lane: Lane = 'live';
  await producer.moveUp(
    spec,
    pending.map(({ key, version }) =>
      spec.payload.parse({ ...fieldsOf(key, names), version: Number(version), lane }),
    ),
  );
}

/**
 * Enqueues the reconciliation of pending issuers. Only the dispatcher does: a run reads all forms of
 * its issuer, so a storm of its forms costs one run an interval.
 */
export async function enqueuePendingInsiders(context: JobContext): Promise<void> {
  await enqueueKeys(context, insider, await pendingOf(context, 'insider'), ['cik']);
}

/**
 * Enqueues the briefs of pending tickers, except those built within the debounce: a storm of filings
 * costs one brief for each ticker and interval. None before the corpus is published.
 */
export async function enqueuePendingBriefs(context: JobContext, followers?: Followers): Promise<void> {
  if ((await publishedCorpus(context.db)) === null) return;
  const pending = await pendingOf(context, 'brief', followers?.keys);
  const debounce = { results: 'current_briefs', ms: context.config.briefDebounceMs } as const;
  const due = await olderThan(context, pending, debounce);
  if (followers?.lane !== 'live') return enqueueKeys(context, brief, due, ['ticker']);
  await moveUp(context, brief, { pending: due, names: ['ticker'] });
}

async function pendingOf({ db }: JobContext, kind: InvalidationKind, keys?: readonly string[]) {
  if (keys === undefined) return listPending(db, kind, BATCH);
  const ids = keys.map((key) => `${kind}|${key}`);
  return findAmong(invalidationsIn(db), { field: '_id', values: ids, where: { pending: true } });
}

/**
 * False within the debounce of the key's last result. Asked when a job starts, because the job may have
 * waited behind that result. It ends then, and the dispatcher enqueues the key after the debounce.
 */
export async function isDue(context: JobContext, results: Results['results'], key: string): Promise<boolean> {
  const due = await olderThan(context, [{ key }], { results, ms: context.config.briefDebounceMs });
  return due.length > 0;
}

type Results = {
  /** The collection of what is computed for the keys. */
  readonly results: 'peers' | 'current_briefs' | 'search_holders' | 'search_parts' | 'leaderboard';
  readonly ms: number;
  /** Counts as the time of results that do not exist; the default lets them pass. */
  readonly missingAt?: string;
};

/** The pending keys whose results in the collection are older than `ms`. */
export async function olderThan<T extends { readonly key: string }>(
  { db, now }: JobContext,
  pending: readonly T[],
  { results, ms, missingAt = '' }: Results,
): Promise<readonly T[]> {
  if (ms === 0 || pending.length === 0) return pending;
  const keys = pending.map(({ key }) => key);
  const docs = await findByIds(db.collection<{ _id: string; at: string }>(results), keys, { at: 1 });
  const computed = new Map(docs.map(({ _id, at }) => [_id, at]));
  const since = new Date(now().getTime() - ms).toISOString();
  return pending.filter(({ key }) => (computed.get(key) ?? missingAt) <= since);
}
