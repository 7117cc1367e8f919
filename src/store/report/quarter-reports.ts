import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import type { QuarterEnd } from '../../domain/ids.ts';
import { knownStamps, raiseStamps } from '../invalidation/invalidate.ts';
import { eachOf } from '../mongo/lists.ts';
import { type ReportDoc, reportsIn } from './reports.ts';

/** What whole quarters are computed by: which reports there are, and what changes with each. */
export type QuarterReport = Pick<ReportDoc, 'cik' | 'state' | 'digest' | 'pageCount' | 'reasons'> & {
  readonly version: number;
  /** Of the report as filed. */
  readonly filedDigest: string;
  readonly holdingsCount: number;
};

type Kept = { readonly stamp: string; readonly reports: readonly QuarterReport[] };

/** Of the quarters around the latest one; 2.5 MB for 8,500 reports. */
const kept = new LRUCache<string, Kept>({ max: 4 });

/**
 * Every report of a quarter, in order of CIK. Read again only after the stamp of the quarter was raised, because
 * thousands of reports cost a tenth of a second. A report that is saved but not stamped yet may be missing or out of
 * date, so the stamp is raised before what follows from a report is invalidated.
 */
export async function quarterReports(db: Db, quarterEnd: QuarterEnd): Promise<readonly QuarterReport[]> {
  const stamp = (await quarterStamps(db, [quarterEnd])).get(quarterEnd);
  const key = `${db.databaseName}|${quarterEnd}`;
  const known = kept.get(key);
  if (known !== undefined && known.stamp === stamp) return known.reports;
  const reports = await readReports(db, quarterEnd);
  if (stamp !== undefined) kept.set(key, { stamp, reports });
  return reports;
}

const FIELDS: Record<keyof QuarterReport, unknown> = {
  cik: '$cik',
  state: '$state',
  digest: '$digest',
  filedDigest: '$filed.digest',
  reasons: { $ifNull: ['$reasons', []] },
  version: '$version',
  pageCount: '$pageCount',
  holdingsCount: '$holdingsCount',
};

async function readReports(db: Db, quarterEnd: QuarterEnd): Promise<QuarterReport[]> {
  const found = await eachOf<QuarterReport, ReportDoc>(reportsIn(db), { quarterEnd }, FIELDS);
  return found
    .map(({ version, pageCount, holdingsCount, ...report }) => ({
      ...report,
      version: Number(version),
      pageCount: Number(pageCount ?? 0),
      holdingsCount: Number(holdingsCount ?? 0),
    }))
    .sort((a, b) => compare(a.cik, b.cik));
}

/**
 * Who writes reports of these quarters calls it after the write, and who invalidates what follows from them, before
 * that: so what is computed because of an invalidation finds a stamp that is as new as the reports.
 */
export async function raiseQuarterStamps(db: Db, quarters: readonly QuarterEnd[]): Promise<void> {
  await raiseStamps(db, 'leaderboard', quarters);
}

/** What changes whenever a report of a quarter is saved; of quarters with any. Read it before the reports. */
export async function quarterStamps(
  db: Db,
  quarters: readonly QuarterEnd[],
): Promise<Map<QuarterEnd, string>> {
  return (await knownStamps(db, 'leaderboard', quarters)) as Map<QuarterEnd, string>;
}
