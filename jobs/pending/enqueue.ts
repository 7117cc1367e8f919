import { brief, diff, insider } from '../../queues/derive.ts';
import type { QueueSpec } from '../../queues/queue.ts';
import { LANES, LAST_LANE, type Lane, lanesBefore } from '../../src/domain/filing/lane.ts';
import { hasImportedSince } from '../../src/store/filing/data-sets.ts';
import {
  hasPending,
  type InvalidationDoc,
  type InvalidationKind,
  idOf,
  invalidationsIn,
  listPending,
} from '../../src/store/invalidation/invalidation.ts';
import { leaveFirstBriefs } from '../../src/store/invalidation/left-to-readers.ts';
import { findAmong, findByIds } from '../../src/store/mongo/lists.ts';
import { publishedCorpus } from '../../src/store/publish/corpus.ts';
import type { JobContext } from '../worker/context.ts';
import { isReading, partOfReport, REPORT_PARTS } from './units.ts';

/** At most this many keys are enqueued at once. The dispatcher comes back for the rest. */
export const BATCH = 2_000;

/** A backlog stays in MongoDB: a queue that has more jobs than this gets no history. */
export const MAX_ENQUEUED = 500;

/** First briefs of more tickers are left to readers: a market has 9,500, and few of them are asked for. */
const MAX_FIRST_BRIEFS = 1_000;

/** Forms of an issuer are gathered for so long in a backfill. */
const GATHER_MS = 120_000;

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
  await producer.enqueueAll(spec, pending.map(payloadOf(spec, names)));
}

/** A queue with priorities takes the lane: what is added later replaces what was, with its priority. */
function payloadOf<Payload>({ payload, priority }: QueueSpec<Payload>, names: readonly string[]) {
  return ({ key, version, lane }: InvalidationDoc): Payload => {
    const fields = Object.fromEntries(key.split('|').map((part, at) => [names[at], part]));
    return payload.parse({
      ...fields,
      version: Number(version),
      ...(priority === null ? {} : { lane }),
    });
  };
}

/**
 * Enqueues the comparison of pending reports, by part of the managers: a part that waits or runs goes on by itself.
 * The reports wait in MongoDB.
 */
export async function enqueuePendingReports(context: JobContext): Promise<void> {
  if ((await context.producer.load(['diff'])) >= REPORT_PARTS) return;
  const pending = await longestPending(context, 'report');
  const keys = pending.map(({ key }) => key);
  await enqueueReports(context, keys);
}

/** The same of the reports of these keys. */
export async function enqueueReports({ producer, now }: JobContext, keys: readonly string[]): Promise<void> {
  const at = now().getTime();
  const parts = new Set(keys.map(partOfReport));
  const jobs = [...parts].sort().map((part) => ({ part, at }));
  await producer.enqueueAll(diff, jobs);
}

/**
 * Enqueues the reconciliation of pending issuers. Only the dispatcher does: a run reads all forms that are compared
 * with the changed ones, so a storm of an issuer's forms costs one run an interval. While forms of history are imported,
 * fetched or parsed, an issuer that only they have invalidated waits two minutes for more of them.
 */
export async function enqueuePendingInsiders(context: JobContext): Promise<void> {
  const { db, now } = context;
  const pending = await longestPending(context, 'insider');
  const since = now().getTime() - GATHER_MS;
  const isYoung = ({ lane, at }: InvalidationDoc): boolean =>
    lane === LAST_LANE && (at?.getTime() ?? 0) > since;
  const isGathering = async (): Promise<boolean> =>
    (await hasImportedSince(db, new Date(since).toISOString())) ||
    (await isReading(context, ['bulk', 'fetch', 'parse']));
  const waits = pending.some(isYoung) && (await isGathering());
  const due = waits ? pending.filter((doc) => !isYoung(doc)) : pending;
  await enqueueKeys(context, insider, due, ['cik']);
}

/**
 * Enqueues the briefs of pending tickers, except those built within the debounce: a storm of filings
 * costs one brief for each ticker and interval. What is live waits only for what was built for something
 * live (rule 13.4). None before the corpus is published.
 */
export async function enqueuePendingBriefs(context: JobContext): Promise<void> {
  const { db } = context;
  if (!(await hasPending(db, 'brief')) || (await publishedCorpus(db)) === null) return;
  if ((await leaveFirstBriefs(db, MAX_FIRST_BRIEFS)) > 0) await context.announceCorpus();
  const pending = await longestPending(context, 'brief');
  await enqueueKeys(context, brief, await dueAmong(context, 'current_briefs', pending), ['ticker']);
}

/** The same of tickers that were just invalidated: what waits already in a lane that is less urgent moves up. */
export async function enqueueBriefs(context: JobContext, tickers: readonly string[]): Promise<void> {
  if (tickers.length === 0 || (await publishedCorpus(context.db)) === null) return;
  const pending = await pendingOf(context, 'brief', tickers);
  const due = await dueAmong(context, 'current_briefs', pending);
  const urgent = due.filter(({ lane }) => lane !== LAST_LANE);
  await context.producer.moveUp(brief, urgent.map(payloadOf(brief, ['ticker'])));
  const others = due.filter(({ lane }) => lane === LAST_LANE);
  await enqueueKeys(context, brief, others, ['ticker']);
}

/** Those of the keys that are pending. */
export function pendingOf(
  { db }: JobContext,
  kind: InvalidationKind,
  keys: readonly string[],
): Promise<InvalidationDoc[]> {
  const ids = keys.map((key) => idOf(kind, key));
  return findAmong(invalidationsIn(db), { field: '_id', values: ids, where: { pending: true } });
}

/** What has waited longest, the most urgent lane first. */
async function longestPending({ db }: JobContext, kind: InvalidationKind): Promise<InvalidationDoc[]> {
  const all = await listPending(db, kind, BATCH);
  // Of all lanes one look does, unless there is more.
  if (all.length < BATCH) return LANES.flatMap((lane) => all.filter((doc) => doc.lane === lane));
  return (await Promise.all(LANES.map((lane) => listPending(db, { kind, lane }, BATCH)))).flat();
}

/**
 * Those of the keys whose last results are older than the debounce. Asked when a job starts, too, because the job may
 * have waited behind a result. It ends then, and the dispatcher enqueues the key after the debounce.
 */
export function dueAmong<T extends Keyed>(
  context: JobContext,
  results: Results['results'],
  keys: readonly T[],
): Promise<readonly T[]> {
  return olderThan(context, keys, { results, ms: context.config.briefDebounceMs });
}

type Results = {
  /** The collection of what is computed for the keys. */
  readonly results: 'peers' | 'current_briefs' | 'search_holders' | 'search_parts' | 'leaderboard';
  readonly ms: number;
  /** Counts as the time of results that do not exist; the default lets them pass. */
  readonly missingAt?: string;
};

/** `lane`: of what invalidated the key. */
type Keyed = { readonly key: string; readonly lane?: Lane };

/** What is computed for a key; `lane` where it is kept. */
type Result = { readonly _id: string; readonly at: string; readonly lane?: Lane };

/** The pending keys whose results in the collection are older than `ms`, or of a lane that is less urgent. */
export async function olderThan<T extends Keyed>(
  { db, now }: JobContext,
  pending: readonly T[],
  { results, ms, missingAt = '' }: Results,
): Promise<readonly T[]> {
  if (ms === 0 || pending.length === 0) return pending;
  const keys = pending.map(({ key }) => key);
  const docs = await findByIds(db.collection<Result>(results), keys, { at: 1, lane: 1 });
  const computed = new Map(docs.map((doc) => [doc._id, doc]));
  const since = new Date(now().getTime() - ms).toISOString();
  return pending.filter(({ key, lane }) => {
    const result = computed.get(key);
    return (result?.at ?? missingAt) <= since || isMoreUrgent(lane, result?.lane);
  });
}

/** False where either lane is not known. */
function isMoreUrgent(lane: Lane | undefined, than: Lane | undefined): boolean {
  return lane !== undefined && than !== undefined && lanesBefore(than).includes(lane);
}
