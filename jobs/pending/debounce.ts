import type { InvalidationDoc } from '../../src/store/invalidation/invalidations.ts';
import { computedAt, type Dated } from '../../src/store/mongo/computed-at.ts';
import type { JobContext } from '../worker/context.ts';

type Results = {
  readonly results: Dated;
  readonly ms: number;
  /** Counts as the time of results that do not exist; the default lets them pass. */
  readonly missingAt?: string;
};

/** The pending keys whose results in the collection are older than `ms`. */
export async function olderThan(
  { db, now }: JobContext,
  pending: readonly InvalidationDoc[],
  { results, ms, missingAt = '' }: Results,
): Promise<readonly InvalidationDoc[]> {
  if (ms === 0 || pending.length === 0) return pending;
  const keys = pending.map(({ key }) => key);
  const computed = await computedAt(db, results, keys);
  const since = new Date(now().getTime() - ms).toISOString();
  return pending.filter(({ key }) => (computed.get(key) ?? missingAt) <= since);
}
