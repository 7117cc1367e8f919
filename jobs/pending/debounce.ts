import { type Lane, lanesBefore } from '../../src/domain/filing/lane.ts';
import { findByIds } from '../../src/store/mongo/lists.ts';
import type { JobContext } from '../worker/context.ts';

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
