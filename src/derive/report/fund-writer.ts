import type { Db } from 'mongodb';
import { kebabSlug, slugWithSuffix } from '../../domain/filing/manager.ts';
import type { Cik } from '../../domain/ids.ts';
import { reportId } from '../../store/filing/filings.ts';
import { invalidate } from '../../store/invalidation/invalidations.ts';
import { type FundDoc, fundsIn } from '../../store/report/funds.ts';
import { dropLastHeld, saveLastHeld } from '../../store/report/last-held.ts';
import { type ReportDoc, reportsOfFund } from '../../store/report/reports.ts';

/** How often the fund is written again when its reports changed in between. */
const ROUNDS = 5;

/**
 * Updates a manager's entry in `/funds`, and what it holds by its last table, from its reports. Reads the reports again after writing, so
 * that two workers at two quarters do not leave the older one.
 */
export async function refreshFund(db: Db, cik: Cik): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const seen = await reportsOfFund(db, cik);
    await writeFund(db, cik, seen);
    const again = await reportsOfFund(db, cik);
    if (digestsOf(seen) === digestsOf(again)) return;
  }
}

function digestsOf(reports: readonly ReportDoc[]): string {
  return reports.map((report) => `${report._id}:${report.digest}`).join();
}

async function writeFund(db: Db, cik: Cik, reports: readonly ReportDoc[]): Promise<void> {
  const before = await fundsIn(db).findOne({ _id: cik });
  const newest = reports[0];
  // A manager with nothing but supplements is listed by them: their positions are in briefs.
  const latest =
    reports.find((report) => report.state === 'holdings') ??
    reports.find((report) => report.state === 'incomparable');
  if (newest === undefined || latest === undefined) {
    await fundsIn(db).deleteOne({ _id: cik });
    await dropLastHeld(db, cik);
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
  await saveLastHeld(db, latest, newest.quarterEnd);
  const first = { slug: kebab, manager: null };
  await fundsIn(db).updateOne({ _id: cik }, { $set: fund, $setOnInsert: first }, { upsert: true });
  await settleSlugs(db, kebab);
  // The former name is free for the managers that shared it.
  if (before !== null && before.kebab !== kebab) await settleSlugs(db, before.kebab);
}

/**
 * Of the managers that share a name the one with the lowest CIK has the plain slug, in any order of
 * arrival. When a slug changes, the manager's latest report is compared again: the slug is in briefs.
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
