import { LRUCache } from 'lru-cache';
import type { Binary, Db } from 'mongodb';
import { addDays } from '../../domain/calendar.ts';
import type { IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { type Market, marketOf, type PricedSecurity, type PriceFile } from '../../domain/market/market.ts';
import { previousQuarterEnd } from '../../domain/quarter.ts';
import { pack, unpack } from '../mongo/pack.ts';

/** The daily prices of one fails-to-deliver file. Its bytes never change. */
type MarketPricesDoc = {
  _id: string;
  sha256: string;
  /** First and last day of the file. */
  from: IsoDate;
  to: IsoDate;
  /** `PricedSecurity[]`, packed. */
  securities: Binary;
};

const pricesIn = (db: Db) => db.collection<MarketPricesDoc>('market_prices');

/** Days around a quarter whose prices count too: a change near its end shows on the neighbouring day with fails. */
const AROUND_DAYS = 15;

export async function saveMarketPrices(
  db: Db,
  { name, sha256, securities }: PriceFile,
  span: { readonly from: IsoDate; readonly to: IsoDate },
): Promise<void> {
  const priced = securities.filter(({ days }) => days.length > 0);
  const doc = { sha256, ...span, securities: pack(priced) };
  await pricesIn(db).replaceOne({ _id: name }, doc, { upsert: true });
}

export async function hasMarketPrices(db: Db, name: string): Promise<boolean> {
  return (await pricesIn(db).findOne({ _id: name }, { projection: { _id: 1 } })) !== null;
}

/** The files of a quarter: what its peers are computed from besides reports. */
export type MarketFiles = readonly Pick<MarketPricesDoc, '_id' | 'sha256' | 'from' | 'to'>[];

export function marketFilesOf(db: Db, quarterEnd: QuarterEnd): Promise<MarketFiles> {
  return marketFilesBetween(db, previousQuarterEnd(quarterEnd), quarterEnd);
}

/** The files of all quarters after the one, through the other. */
export function marketFilesBetween(db: Db, after: QuarterEnd, through: QuarterEnd): Promise<MarketFiles> {
  const [from, to] = [addDays(after, -AROUND_DAYS), addDays(through, AROUND_DAYS)];
  const projection = { sha256: 1, from: 1, to: 1 };
  return pricesIn(db)
    .find({ from: { $lte: to }, to: { $gte: from } }, { projection })
    .sort({ _id: 1 })
    .toArray();
}

/** The quarters that a file with these days is read for. */
export function isReadFor(
  quarterEnd: QuarterEnd,
  { from, to }: Pick<MarketPricesDoc, 'from' | 'to'>,
): boolean {
  return (
    from <= addDays(quarterEnd, AROUND_DAYS) && to >= addDays(previousQuarterEnd(quarterEnd), -AROUND_DAYS)
  );
}

/** Two quarters are computed again after each restated report, which unpacking their files would outweigh; 30 MB each. */
const kept = new LRUCache<string, Market>({ max: 2 });

export async function marketIn(db: Db, files: MarketFiles): Promise<Market> {
  const key = files.map(({ sha256 }) => sha256).join();
  const known = kept.get(key);
  if (known !== undefined) return known;
  const found = await pricesIn(db)
    .find({ _id: { $in: files.map(({ _id }) => _id) } })
    .toArray();
  const market = marketOf(
    found.map(({ _id, sha256, securities }) => ({
      name: _id,
      sha256,
      securities: unpack<PricedSecurity[]>(securities),
    })),
  );
  kept.set(key, market);
  return market;
}
