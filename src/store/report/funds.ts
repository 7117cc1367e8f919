import type { Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import { quarterEndOf } from '../../domain/quarter.ts';
import { eachOf, findByIds, inLists } from '../mongo/lists.ts';

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
  /** A curated person; null otherwise, because 13F names only a signer (rule 1.2). */
  manager: string | null;
};

export const fundsIn = (db: Db) => db.collection<FundDoc>('funds');

export async function findFund(db: Db, cik: Cik): Promise<FundDoc | null> {
  return fundsIn(db).findOne({ _id: cik });
}

/** Every fund reported something since there is Form 13F: counted by the index of that quarter. */
const ANY_FUND = { reportedThrough: { $gte: quarterEndOf(1900, 1) } };

/** Those that are listed, in no order. */
export function listedManagers(db: Db): Promise<Cik[]> {
  return eachOf<Cik, FundDoc>(fundsIn(db), ANY_FUND, '$_id');
}

/** The managers that are listed, by CIK. */
export async function fundsById(db: Db, ciks: readonly Cik[]): Promise<Map<Cik, FundDoc>> {
  const docs = await findByIds(fundsIn(db), ciks);
  return new Map(docs.map((doc) => [doc._id, doc]));
}

type Named = Pick<FundDoc, '_id' | 'name' | 'slug'>;

/** What they are called: a stock has thousands of holders. */
export async function fundNames(db: Db, ciks: readonly Cik[]): Promise<Map<Cik, Named>> {
  const names = new Map<Cik, Named>();
  const named = { _id: '$_id', name: '$name', slug: '$slug' };
  for (const _id of inLists(ciks)) {
    for (const fund of await eachOf<Named, FundDoc>(fundsIn(db), { _id }, named)) names.set(fund._id, fund);
  }
  return names;
}

type ListedName = Named & Pick<FundDoc, 'manager'>;

/** The same, with their curated person, of the managers that reported a quarter or a later one, in order of CIK. */
export async function namesSince(db: Db, quarterEnd: QuarterEnd): Promise<ListedName[]> {
  const named = { _id: '$_id', name: '$name', slug: '$slug', manager: { $ifNull: ['$manager', null] } };
  const where = { reportedThrough: { $gte: quarterEnd } };
  return (await eachOf<ListedName, FundDoc>(fundsIn(db), where, named)).sort((a, b) => compare(a._id, b._id));
}

/** The managers whose last report is of the quarter, by CIK. */
export async function managersThrough(db: Db, reportedThrough: QuarterEnd): Promise<Cik[]> {
  return (await eachOf<Cik, FundDoc>(fundsIn(db), { reportedThrough }, '$_id')).sort();
}

/** AUM descending, ties by CIK ascending. */
export async function listFunds(db: Db, page: { readonly skip: number; readonly limit: number }) {
  const [funds, total] = await Promise.all([
    fundsIn(db).find().sort({ aumCents: -1, _id: 1 }).skip(page.skip).limit(page.limit).toArray(),
    fundsIn(db).countDocuments(ANY_FUND),
  ]);
  return { funds, total };
}
