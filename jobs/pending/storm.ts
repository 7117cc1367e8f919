import type { Db } from 'mongodb';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { type InvalidationDoc, invalidationsIn } from '../../src/store/invalidation/invalidation.ts';
import type { JobContext } from '../worker/context.ts';

/**
 * More live filings than these on their way at once are a storm, as on the last day of a quarter's reports. It ends when
 * none is left: the last ones would touch most tickers once more.
 */
const STORM = 100;

/** A brief waits so long at most for the end of a storm, and a storm has so long to end: a report may fail for ever. */
const MAX_WAIT_MS = 300_000;

/** When this process last saw as many filings as a storm has, until it ends. */
const storms = new WeakMap<Db, number>();

/**
 * The pending briefs that are built now. In a storm of live filings most tickers are touched again before it is over, so
 * their briefs wait for its end, and none longer than five minutes (rule 13.4).
 */
export async function afterStorm(
  { db, now }: JobContext,
  pending: readonly InvalidationDoc[],
): Promise<readonly InvalidationDoc[]> {
  if (pending.length === 0 || !(await isStorm(db, now()))) return pending;
  const since = now().getTime() - MAX_WAIT_MS;
  return pending.filter(({ at }) => (at?.getTime() ?? 0) <= since);
}

/** What waits for its next try is not on its way. */
async function isStorm(db: Db, now: Date): Promise<boolean> {
  const due = { lane: 'live', nextAt: { $lte: now.toISOString() } } as const;
  const limit = { limit: STORM + 1 };
  const counts = await Promise.all([
    filingsIn(db).countDocuments({ state: 'discovered', ...due }, limit),
    filingsIn(db).countDocuments({ state: 'fetched', ...due }, limit),
    invalidationsIn(db).countDocuments({ pending: true, kind: 'report', lane: 'live' }, limit),
  ]);
  const onTheirWay = counts.reduce((sum, count) => sum + Number(count), 0);
  if (onTheirWay > STORM) storms.set(db, now.getTime());
  if (onTheirWay === 0) storms.delete(db);
  return now.getTime() - (storms.get(db) ?? Number.NEGATIVE_INFINITY) < MAX_WAIT_MS;
}
