import type { Db } from 'mongodb';
import { peersQuartersOf } from '../derive/peers/invalidate-followers.ts';
import { compareReport, type Fold, rememberingFold } from '../derive/report/compare.ts';
import { refreshFund } from '../derive/report/fund-writer.ts';
import { comparedWith } from '../derive/report/invalidate-followers.ts';
import { noteMember } from '../derive/search/entries.ts';
import { groupBy } from '../domain/group.ts';
import type { Cusip, QuarterEnd } from '../domain/ids.ts';
import { previousQuarterEnd } from '../domain/quarter.ts';
import { AppError } from '../errors.ts';
import type { UnitFailure, UnitResult } from '../store/filing/data-sets.ts';
import { type ReportKey, reportId } from '../store/filing/filings.ts';
import { reserveVersions } from '../store/invalidation/invalidations.ts';
import { findByIds } from '../store/mongo/lists.ts';
import { noteHeld } from '../store/report/holdings.ts';
import { reportBefore, reportsIn } from '../store/report/reports.ts';
import { inParallel, NO_RESULT } from './unit.ts';

/** Managers that are computed at the same time. */
const AT_ONCE = 4;

/**
 * Folds and compares the reports of some managers and those that are compared with them, and returns what
 * follows for the end of the import: marked by quarter, it is computed once and not once a report.
 */
export async function computeReports(db: Db, wanted: readonly ReportKey[]): Promise<UnitResult> {
  const next = await Promise.all(wanted.map((key) => comparedWith(db, key)));
  const keys = [...new Map([...wanted, ...next.flat()].map((key) => [reportId(key), key])).values()];
  const versions = await reserveVersions(db, 'report', keys.map(reportId));
  const failures: UnitFailure[] = [];
  const cusips = new Set<Cusip>();
  const managers = [...groupBy(keys, ({ cik }) => cik)];
  await inParallel(managers, AT_ONCE, async ([cik, own]) => {
    const fold = await rememberingFold(db);
    for (const key of own) {
      const failure = await compared(db, key, { fold, version: versions.get(reportId(key)) });
      if (failure !== null) failures.push(failure);
      for (const cusip of await cusipsOf(key, fold)) cusips.add(cusip);
    }
    await refreshFund(db, cik);
    await noteMember(db, cik);
  });
  await noteHeld(db, [...cusips]);
  return { ...NO_RESULT, computed: keys.length, failures, followers: await followersOf(db, keys) };
}

type Run = { readonly fold: Fold; readonly version: number | undefined };

/** A report whose numbers cannot be stored fails alone; anything else stops the unit. */
async function compared(db: Db, key: ReportKey, { fold, version }: Run): Promise<UnitFailure | null> {
  if (version === undefined)
    throw new AppError('invalidations_lost', `no version of ${reportId(key)}`, { retry: true });
  try {
    await compareReport(db, key, { fold, version });
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.retry) throw error;
    return { key: reportId(key), code: error.code, reason: error.message };
  }
}

/** Of shares and options of the report and of the one before, from which they may have gone. */
async function cusipsOf({ cik, quarterEnd }: ReportKey, fold: Fold): Promise<Cusip[]> {
  const quarters = [quarterEnd, previousQuarterEnd(quarterEnd)];
  const folded = await Promise.all(quarters.map((quarter) => fold({ cik, quarterEnd: quarter })));
  const positions = folded.flatMap((one) => one?.report.positions ?? []);
  return positions.filter(({ amountType }) => amountType === 'SH').map(({ cusip }) => cusip);
}

async function followersOf(db: Db, keys: readonly ReportKey[]): Promise<UnitResult['followers']> {
  const peers = new Set<QuarterEnd>();
  const holders = new Set<QuarterEnd>();
  await inParallel(keys, AT_ONCE, async (key) => {
    for (const quarter of await peersQuartersOf(db, key)) peers.add(quarter);
    holders.add(key.quarterEnd);
    // The last report before is carried forward only while it is the last one.
    const before = await reportBefore(db, key);
    if (before !== null) holders.add(before.quarterEnd);
  });
  const docs = await findByIds(reportsIn(db), keys.map(reportId), { digest: 1 });
  const reports = docs.map(({ _id, digest }) => [_id, digest] as const);
  return { peers: [...peers].sort(), holders: [...holders].sort(), reports, issuers: [] };
}
