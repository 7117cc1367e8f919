import { diffReports } from '../src/domain/diff.ts';
import type { Cik, QuarterEnd } from '../src/domain/ids.ts';
import { previousQuarterEnd } from '../src/domain/quarter.ts';
import { requireAsOf } from '../src/store/as-of.ts';
import { dirtyIn, markClean } from '../src/store/dirty.ts';
import { type ReportKey, reportId } from '../src/store/filings.ts';
import { markReportFollowers } from '../src/store/follow.ts';
import { refreshFund } from '../src/store/fund-writer.ts';
import { saveReport, withdrawReport } from '../src/store/report-writer.ts';
import { findReport, type ReportDoc } from '../src/store/reports.ts';
import { foldStored } from '../src/store/thirteen-f.ts';
import type { Job, JobContext } from './context.ts';
import { wakeBriefs, wakeReports } from './wake.ts';

/**
 * Folds a manager's quarter and compares it with the quarter before. The generation is read before
 * the filings, so a filing that arrives meanwhile leaves the mark standing and comes round again.
 */
export const diff: Job<{ cik: Cik; quarterEnd: QuarterEnd; generation: number }> = async (
  context,
  payload,
) => {
  const { db } = context;
  const key: ReportKey = { cik: payload.cik, quarterEnd: payload.quarterEnd };
  const marked = await dirtyIn(db).findOne({ _id: `report|${reportId(key)}` });
  if (marked === null || !marked.pending) return;
  const generation = Number(marked.generation);
  const withdrawn = await compareReport(context, key, generation);
  await refreshFund(db, key.cik);
  const followers = await markReportFollowers(db, key, { report: await findReport(db, key), withdrawn });
  await markClean(db, 'report', reportId(key), generation);
  await wakeReports(context, followers.reports);
  await wakeBriefs(context, followers.tickers);
};

/** Answers the report that it took away, if there was one. */
async function compareReport(
  { db }: JobContext,
  key: ReportKey,
  generation: number,
): Promise<ReportDoc | null> {
  const asOf = await requireAsOf(db);
  const prior = { cik: key.cik, quarterEnd: previousQuarterEnd(key.quarterEnd) };
  const [current, before] = await Promise.all([foldStored(db, key, asOf), foldStored(db, prior, asOf)]);
  if (current !== null) {
    await saveReport(db, diffReports(current, before), generation);
    return null;
  }
  const shown = await findReport(db, key);
  await withdrawReport(db, key, generation);
  return shown;
}
