import type { Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import { kebabSlug, slugWithSuffix } from '../../domain/filing/manager.ts';
import { groupBy } from '../../domain/group.ts';
import type { Cik } from '../../domain/ids.ts';
import { reportId } from '../../store/filing/filings.ts';
import { invalidate } from '../../store/invalidation/invalidate.ts';
import { findAmong } from '../../store/mongo/lists.ts';
import { type FundDoc, fundsById, fundsIn } from '../../store/report/funds.ts';
import { dropLastHeld, type LastReport, saveLastHeld } from '../../store/report/last-held.ts';
import { type ListedReport, lastTable, reportsOfFunds } from '../../store/report/reports.ts';

/** How often the fund is written again when its reports changed in between. */
const ROUNDS = 5;

type Writer = (db: Db, ciks: readonly Cik[], reports: ReadonlyMap<Cik, ListedReport[]>) => Promise<void>;

/**
 * Updates the entries of managers in `/funds`, and what they hold by their last tables, from their reports. Reads the
 * reports again after writing, so that two workers at two quarters do not leave the older one. Throws
 * `report_in_motion` (retryable).
 */
export async function refreshFunds(db: Db, ciks: readonly Cik[]): Promise<void> {
  let left = ciks;
  for (let round = 0; round < ROUNDS && left.length > 0; round++) {
    const seen = await reportsOfFunds(db, left);
    await writeLastHeld(db, left, seen);
    await writeFunds(db, left, seen);
    const again = await reportsOfFunds(db, left);
    left = left.filter((cik) => digestsOf(seen.get(cik)) !== digestsOf(again.get(cik)));
  }
}

function digestsOf(reports: readonly ListedReport[] = []): string {
  return reports.map((report) => `${report._id}:${report.digest}`).join();
}

function isOther(fund: Omit<FundDoc, 'slug' | 'manager'>, known: FundDoc | undefined): boolean {
  if (known === undefined) return true;
  const names = Object.keys(fund) as (keyof typeof fund)[];
  // The engines give back small numbers as number or bigint.
  return names.some((name) => String(fund[name]) !== String(known[name]));
}

type Listed = LastReport & { readonly latest: ListedReport; readonly newest: ListedReport };

const writeLastHeld: Writer = async (db, ciks, reports) => {
  const lasts = ciks.flatMap((cik) => lastOf(reports.get(cik)) ?? []);
  await saveLastHeld(db, lasts);
};

const writeFunds: Writer = async (db, ciks, reports) => {
  const before = await fundsById(db, ciks);
  const funds = ciks.flatMap((cik) => lastOf(reports.get(cik)) ?? []).map(fundOf);
  const changed = funds.filter((fund) => isOther(fund, before.get(fund._id)));
  const writes = changed.map(({ _id, ...fund }) => {
    const first = { slug: fund.kebab, manager: null };
    return { updateOne: { filter: { _id }, update: { $set: fund, $setOnInsert: first }, upsert: true } };
  });
  if (writes.length > 0) await fundsIn(db).bulkWrite(writes, { ordered: false });
  const kept = new Set(funds.map(({ _id }) => _id));
  for (const cik of ciks.filter((one) => !kept.has(one))) {
    await fundsIn(db).deleteOne({ _id: cik });
    await dropLastHeld(db, cik);
  }
  // The former name is free for the managers that shared it.
  const kebabs = [...funds, ...before.values()].map(({ kebab }) => kebab);
  await settleSlugs(db, kebabs);
};

/** Null for a manager that is not listed. */
function lastOf(reports: readonly ListedReport[] = []): Listed | null {
  const [newest] = reports;
  const latest = lastTable(reports);
  if (newest === undefined || latest === undefined) return null;
  return { latest, newest, reportedThrough: newest.quarterEnd };
}

function fundOf({ latest, newest }: Listed): Omit<FundDoc, 'slug' | 'manager'> {
  return {
    _id: latest.cik,
    name: newest.managerName,
    kebab: kebabSlug(newest.managerName),
    aumCents: latest.weighedCents ?? latest.aumCents,
    latestQuarterEnd: latest.quarterEnd,
    reportedThrough: newest.quarterEnd,
    holdingsCount: latest.holdingsCount,
  };
}

/**
 * Of the managers that share a name the one with the lowest CIK has the plain slug, in any order of
 * arrival. When a slug changes, the manager's latest report is compared again: the slug is in briefs.
 */
async function settleSlugs(db: Db, kebabs: readonly string[]): Promise<void> {
  const sharing = await findAmong(fundsIn(db), { field: 'kebab', values: kebabs });
  for (const own of groupBy(sharing, ({ kebab }) => kebab).values()) {
    own.sort((a, b) => compare(a._id, b._id));
    for (const [place, fund] of own.entries()) {
      const slug = place === 0 && fund.kebab !== '' ? fund.kebab : slugWithSuffix(fund.name, fund._id);
      if (slug === fund.slug) continue;
      await fundsIn(db).updateOne({ _id: fund._id }, { $set: { slug } });
      await invalidate(db, 'report', [reportId({ cik: fund._id, quarterEnd: fund.latestQuarterEnd })]);
    }
  }
}
