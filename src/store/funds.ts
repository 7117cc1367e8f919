import type { Collection, Db } from 'mongodb';
import type { Cik, QuarterEnd } from '../domain/ids.ts';

/** A manager as `/funds` lists it, from its latest effective report. */
export type FundDoc = {
  _id: Cik;
  name: string;
  slug: string;
  aumCents: bigint;
  /** The latest quarter with a table; what `aumCents` and `holdingsCount` are of. */
  latestQuarterEnd: QuarterEnd;
  /** The latest quarter with any report, a notice included. */
  reportedThrough: QuarterEnd;
  /** The name in kebab case, before a suffix; funds that share it get suffixes by CIK order. */
  kebab: string;
  holdingsCount: number;
  /** A curated person; null otherwise, because 13F names only a signer (domain 2.11). */
  manager: string | null;
};

export function fundsIn(db: Db): Collection<FundDoc> {
  return db.collection<FundDoc>('funds');
}

export async function findFund(db: Db, cik: Cik): Promise<FundDoc | null> {
  return fundsIn(db).findOne({ _id: cik });
}

/** AUM descending, ties by CIK ascending. */
export async function listFunds(
  db: Db,
  page: { readonly skip: number; readonly limit: number },
): Promise<{ funds: FundDoc[]; total: number }> {
  const [funds, total] = await Promise.all([
    fundsIn(db).find().sort({ aumCents: -1, _id: 1 }).skip(page.skip).limit(page.limit).toArray(),
    fundsIn(db).countDocuments(),
  ]);
  return { funds, total };
}
