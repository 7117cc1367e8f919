import { compareReports } from '../src/derive/report/compare-reports.ts';
import { type ReportKey, reportId } from '../src/store/filing/filings.ts';
import { pendingInvalidation } from '../src/store/invalidation/pending.ts';
import { enqueuePendingBriefs, enqueuePendingReports } from './pending/enqueue.ts';
import type { Job } from './worker/context.ts';

/**
 * Folds a manager's quarter and compares it with the quarter before, with the peers of both. The
 * version is read before the filings, so a filing that arrives meanwhile leaves the report pending
 * and it is compared again.
 */
export const diff: Job<'diff'> = async (context, { cik, quarterEnd }) => {
  const { db } = context;
  const key: ReportKey = { cik, quarterEnd };
  const pending = await pendingInvalidation(db, 'report', reportId(key));
  if (pending === null) return;
  const followers = await compareReports(db, [{ ...pending, key }], pending.lane);
  await enqueuePendingReports(context, followers.reports);
  await enqueuePendingBriefs(context, followers.tickers);
};
