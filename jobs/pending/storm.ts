import type { Db } from 'mongodb';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { type InvalidationDoc, invalidationsIn } from '../../src/store/invalidation/invalidation.ts';
import type { JobContext } from '../worker/context.ts';
import { isReadingHistory } from './units.ts';

/**
 * More live filings than these on their way at once are a storm, as on the last day of a quarter's reports. It ends when
 * none is left and no peers or reports are at work: the last of them would touch most tickers once more.
 */
const STORM = 100;

/** A brief waits so long at most for the end of a storm, and a storm has so long to end: a report may fail for ever. */
const MAX_WAIT_MS = 300_000;

/** The dispatcher enqueues the peers of quarters before briefs, and peers the reports that they move. */
const SETTLING = ['peers', 'diff', 'diffs'] as const;

/** When this process last saw as many filings as a storm has, until it ends. */
const storms = new WeakMap<Db, number>();

/**
 * The pending briefs that are built now. In a storm of live filings most tickers are touched again before it is over, so
 * their briefs wait for its end, and none longer than five minutes (rule 13.4).
 */
export async function afterStorm(
  context: JobContext,
  pending: readonly InvalidationDoc[],
): Promise<readonly InvalidationDoc[]> {
  if (pending.length === 0 || !(await isStorm(context))) return pending;
  const since = context.now().getTime() - MAX_WAIT_MS;
  return pending.filter(({ at }) => (at?.getTime() ?? 0) <= since);
}

async function isStorm(context: JobContext): Promise<boolean> {
  const { db } = context;
  const now = context.now().getTime();
  const onTheirWay = await liveOnTheirWay(context);
  if (onTheirWay > STORM) storms.set(db, now);
  const seen = storms.get(db);
  if (seen === undefined || now - seen >= MAX_WAIT_MS) return false;
  if (onTheirWay > 0 || (await isSettling(context))) return true;
  // Not one that another job has seen meanwhile.
  if (storms.get(db) === seen) storms.delete(db);
  return false;
}

/** What waits for its next try is not on its way. */
async function liveOnTheirWay({ db, now }: JobContext): Promise<number> {
  const due = { lane: 'live', nextAt: { $lte: now().toISOString() } } as const;
  const limit = { limit: STORM + 1 };
  const counts = await Promise.all([
    filingsIn(db).countDocuments({ state: 'discovered', ...due }, limit),
    filingsIn(db).countDocuments({ state: 'fetched', ...due }, limit),
    invalidationsIn(db).countDocuments({ pending: true, kind: 'report', lane: 'live' }, limit),
  ]);
  return counts.reduce((sum, count) => sum + Number(count), 0);
}

/** Whether peers or reports are at work. While history is fetched and parsed some always are: that does not count. */
async function isSettling(context: JobContext): Promise<boolean> {
  return (await context.producer.load(SETTLING)) > 0 && !(await isReadingHistory(context));
}
