import type { Db } from 'mongodb';
import { kebabSlug, slugWithSuffix } from '../../domain/filing/manager.ts';
import type { Cik } from '../../domain/ids.ts';
import { reportId } from '../../store/filing/filings.ts';
import { invalidate } from '../../store/invalidation/invalidations.ts';
import { type FundDoc, fundsIn } from '../../store/report/funds.ts';
import { type ReportDoc, reportsOfFund } from '../../store/report/reports.ts';

/** How often the fund is written again when its reports changed in between. */
const ROUNDS = 5;

/**
 * Brings a manager's line in `/funds` up to its reports. Reads the reports again after writing, so
 * that of two workers at two quarters neither leaves the older one standing.
 */
export async function refreshFund(db: Db, cik: Cik): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const seen = await reportsOfFund(db, cik);
    await writeFund(db, cik, seen);
    const again = await reportsOfFund(db, cik);
    if (digest(seen) === digest(again)) return;
  }
}

function digest(reports: readonly ReportDoc[]): string {
  return reports.map((report) => `${report._id}:${report.digest}`).join();
}

async function writeFund(db: Db, cik: Cik, reports: readonly ReportDoc[]): Promise<void> {
  const before = await fundsIn(db).findOne({ _id: cik });
  const newest = reports[0];
  // A manager of whom only supplements were seen is listed by them: its positions stand in briefs.
  const latest =
    reports.find((report) => report.state === 'holdings') ??
    reports.find((report) => report.state === 'incomparable');
  if (newest === undefined || latest === undefined) {
    await fundsIn(db).deleteOne({ _id: cik });
    if (before !== null) await settleSlugs(db, before.kebab);
    return;
  }
  const kebab = kebabSlug(newest.managerName);
  const fund: Omit<FundDoc, '_id' | 'slug' | 'manager'> = {
    name: newest.managerName,
    kebab,
    aumCents: latest.aumCents,
    latestQuarterEnd: latest.quarterEnd,
    reportedThrough: newest.quarterEnd,
    holdingsCount: latest.holdingsCount,
  };
  const first = { slug: kebab, manager: null };
  await fundsIn(db).updateOne({ _id: cik }, { $set: fund, $setOnInsert: first }, { upsert: true });
  await settleSlugs(db, kebab);
  // The name that was left is free for whoever shared it.
  if (before !== null && before.kebab !== kebab) await settleSlugs(db, before.kebab);
}

/**
 * Of the managers that share a name the one with the lowest CIK has the plain slug, whichever came
 * first. A manager whose slug changes has its latest report compared again: its slug is in briefs.
 */
async function settleSlugs(db: Db, kebab: string): Promise<void> {
  const sharing = await fundsIn(db).find({ kebab }).sort({ _id: 1 }).toArray();
  for (const [place, fund] of sharing.entries()) {
    const slug = place === 0 && kebab !== '' ? kebab : slugWithSuffix(fund.name, fund._id);
    if (slug === fund.slug) continue;
    await fundsIn(db).updateOne({ _id: fund._id }, { $set: { slug } });
    await invalidate(db, 'report', [reportId({ cik: fund._id, quarterEnd: fund.latestQuarterEnd })]);
  }
}
