import { diffs as queue } from '../queues/diffs.ts';
import { compareReports } from '../src/derive/report/compare-reports.ts';
import { reportId } from '../src/store/filing/filings.ts';
import { postponeInvalidations } from '../src/store/invalidation/pending.ts';
import type { PendingReport } from '../src/store/report/reports.ts';
import { enqueuePendingReports } from './pending/enqueue.ts';
import { pendingUnit } from './pending/units.ts';
import { together } from './together.ts';
import type { Job, JobContext } from './worker/context.ts';

/**
 * Compares pending reports of history together: a unit of one part of the managers, which takes about a second,
 * and then the next one. Briefs are left to the dispatcher, because other units touch the same.
 */
export const diffs: Job<'diffs'> = async (context, { part }) => {
  const { unit, isLast } = await pendingUnit(context.db, part);
  if (unit.length === 0) return;
  const reports = await compareUnit(context, unit);
  await enqueuePendingReports(context, reports);
  if (!isLast) await context.producer.enqueue(queue, { part, at: context.now().getTime() });
};

/** One that cannot be compared leaves the others to be compared alone, and goes to the back. */
async function compareUnit({ db }: JobContext, unit: readonly PendingReport[]): Promise<readonly string[]> {
  const { done, failed } = await together(unit, (some) => compareReports(db, some));
  await postponeInvalidations(
    db,
    'report',
    [...failed.keys()].map(({ key }) => reportId(key)),
  );
  for (const error of failed.values()) throw error;
  return done.flatMap(({ reports }) => reports);
}
