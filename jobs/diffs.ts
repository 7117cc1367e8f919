import { diffs as queue } from '../queues/diffs.ts';
import { compareReports, type Followers } from '../src/derive/report/compare-reports.ts';
import { reportId } from '../src/store/filing/filings.ts';
import { postponeInvalidations } from '../src/store/invalidation/invalidations.ts';
import { isOutage } from '../src/store/mongo/write.ts';
import type { PendingReport } from '../src/store/report/reports.ts';
import { enqueuePendingReports } from './pending/enqueue.ts';
import { pendingUnit } from './pending/units.ts';
import type { Job, JobContext } from './worker/context.ts';

/**
 * Compares pending reports of history together: a unit of one part of the managers, which takes about a second,
 * and then the next one. Briefs are left to the dispatcher, because other units touch the same.
 */
export const diffs: Job<'diffs'> = async (context, { part }) => {
  const { unit, isLast } = await pendingUnit(context.db, part);
  if (unit.length === 0) return;
  const { reports } = await compareUnit(context, unit);
  await enqueuePendingReports(context, reports);
  if (!isLast) await context.producer.enqueue(queue, { part, at: context.now().getTime() });
};

/** One that cannot be compared leaves the others to be compared alone, and goes to the back. */
async function compareUnit({ db }: JobContext, unit: readonly PendingReport[]): Promise<Followers> {
  try {
    return await compareReports(db, unit);
  } catch (error) {
    if (unit.length === 1 || isOutage(error)) throw error;
  }
  const failed = new Map<string, unknown>();
  const reports: string[] = [];
  for (const one of unit) {
    try {
      reports.push(...(await compareReports(db, [one])).reports);
    } catch (error) {
      if (isOutage(error)) throw error;
      failed.set(reportId(one.key), error);
    }
  }
  await postponeInvalidations(db, 'report', [...failed.keys()]);
  for (const error of failed.values()) throw error;
  return { reports, tickers: [] };
}
