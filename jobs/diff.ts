import { isDeepStrictEqual } from 'node:util';
import { refreshFund } from '../src/derive/report/fund-writer.ts';
import { invalidateReportFollowers } from '../src/derive/report/invalidate-followers.ts';
import { foldStored } from '../src/derive/report/stored-report.ts';
import { saveReport, withdrawReport } from '../src/derive/report/writer.ts';
import { diffReports } from '../src/domain/change/diff.ts';
import { quartersInForce } from '../src/domain/change/in-force.ts';
import { corporateActionsByCusip } from '../src/domain/change/restate.ts';
import { predecessorOf } from '../src/domain/filing/manager.ts';
import type { IsoDate } from '../src/domain/ids.ts';
import { previousQuarterEnd } from '../src/domain/quarter.ts';
import { type ReportKey, reportId } from '../src/store/filing/filings.ts';
import { requireAsOf } from '../src/store/filing/settings.ts';
import { pendingVersion, settleInvalidation } from '../src/store/invalidation/invalidations.ts';
import {
  corporateActionsOfQuarter,
  earlierChanges,
  peersDigests,
} from '../src/store/peers/corporate-actions.ts';
import { findReport, type ReportDoc } from '../src/store/report/reports.ts';
import { enqueuePendingBriefs, enqueuePendingReports } from './pending/enqueue.ts';
import type { Job, JobContext } from './worker/context.ts';

/**
 * Folds a manager's quarter and compares it with the quarter before, with the peers of both. The
 * version is read before the filings, so a filing that arrives meanwhile leaves the report pending
 * and it is compared again.
 */
export const diff: Job<'diff'> = async (context, payload) => {
  const { db } = context;
  const { lane } = payload;
  const key: ReportKey = { cik: payload.cik, quarterEnd: payload.quarterEnd };
  const version = await pendingVersion(db, 'report', reportId(key));
  if (version === null) return;
  const quarters = [key.quarterEnd, ...quartersInForce(key.quarterEnd)];
  const digests = await peersDigests(db, quarters);
  const withdrawn = await compareReport(context, key, version);
  await refreshFund(db, key.cik);
  const report = await findReport(db, key);
  const followers = await invalidateReportFollowers(db, key, { report, withdrawn });
  // Peers that changed meanwhile may not have found this report yet: then it stays pending.
  if (isDeepStrictEqual(digests, await peersDigests(db, quarters))) {
    await settleInvalidation(db, 'report', reportId(key), version);
  }
  await enqueuePendingReports(context, { keys: followers.reports, lane });
  await enqueuePendingBriefs(context, { keys: followers.tickers, lane });
};

/** Returns the report that it withdrew; null when there was none. */
async function compareReport({ db }: JobContext, key: ReportKey, version: number): Promise<ReportDoc | null> {
  const asOf = await requireAsOf(db);
  const [current, before, corporateActions, earlier] = await Promise.all([
    foldStored(db, key, asOf),
    priorReport(db, key, asOf),
    corporateActionsOfQuarter(db, key.quarterEnd),
    earlierChanges(db, key.quarterEnd),
  ]);
  if (current !== null) {
    const byCusip = corporateActionsByCusip(corporateActions);
    const changes = diffReports(current.report, before, byCusip, earlier);
    await saveReport(db, changes, version, current.filed);
    return null;
  }
  const shown = await findReport(db, key);
  await withdrawReport(db, key, version);
  return shown;
}

/** The manager's own report of the quarter before, else that of its predecessor (rules 5.1 and 5.7). */
async function priorReport(db: JobContext['db'], { cik, quarterEnd }: ReportKey, asOf: IsoDate) {
  const before = previousQuarterEnd(quarterEnd);
  const own = await foldStored(db, { cik, quarterEnd: before }, asOf);
  const predecessor = predecessorOf(cik, quarterEnd);
  if (own !== null || predecessor === null) return own?.report ?? null;
  return (await foldStored(db, { cik: predecessor, quarterEnd: before }, asOf))?.report ?? null;
}
