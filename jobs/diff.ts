import { isDeepStrictEqual } from 'node:util';
import { compareReport } from '../src/derive/report/compare.ts';
import { refreshFund } from '../src/derive/report/fund-writer.ts';
import { invalidateReportFollowers } from '../src/derive/report/invalidate-followers.ts';
import { quartersInForce } from '../src/domain/change/in-force.ts';
import { type ReportKey, reportId } from '../src/store/filing/filings.ts';
import { pendingInvalidation, settleInvalidation } from '../src/store/invalidation/invalidations.ts';
import { peersDigests } from '../src/store/peers/corporate-actions.ts';
import { findReport } from '../src/store/report/reports.ts';
import { enqueuePendingBriefs, enqueuePendingReports } from './pending/enqueue.ts';
import type { Job } from './worker/context.ts';

/**
 * Folds a manager's quarter and compares it with the quarter before, with the peers of both. The
 * version is read before the filings, so a filing that arrives meanwhile leaves the report pending
 * and it is compared again.
 */
export const diff: Job<'diff'> = async (context, payload) => {
  const { db } = context;
  const key: ReportKey = { cik: payload.cik, quarterEnd: payload.quarterEnd };
  const pending = await pendingInvalidation(db, 'report', reportId(key));
  if (pending === null) return;
  const { version, lane } = pending;
  const quarters = [key.quarterEnd, ...quartersInForce(key.quarterEnd)];
  const digests = await peersDigests(db, quarters);
  const withdrawn = await compareReport(db, key, version);
  await refreshFund(db, key.cik);
  const report = await findReport(db, key);
  const followers = await invalidateReportFollowers(db, key, { report, withdrawn, lane });
  // Peers that changed meanwhile may not have found this report yet: then it stays pending.
  if (isDeepStrictEqual(digests, await peersDigests(db, quarters))) {
    await settleInvalidation(db, 'report', reportId(key), version);
  }
  await enqueuePendingReports(context, followers.reports);
  await enqueuePendingBriefs(context, followers.tickers);
};
