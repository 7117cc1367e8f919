import type { Db, Filter } from 'mongodb';
import { addDays } from '../../domain/calendar.ts';
import { compare } from '../../domain/compare.ts';
import type { IsoDate } from '../../domain/ids.ts';
import { type TradeDoc, tradesIn } from './trades.ts';

/**
 * Trades are read back from the newest: those filed in a few days first, and in more when these hold too few. The
 * embedded engines read an index between bounds and know no limit: without days a page would read all that is stored.
 */
export type Listing = {
  /** One read each: no trade is in two of them. */
  readonly scopes: readonly ScopeCondition[];
  /** What a trade of these scopes has to be besides. */
  readonly rest: Filter<TradeDoc>;
  /** Counts back from this day. */
  readonly newest: IsoDate;
  /** None is filed before it; null when that is not known. */
  readonly oldest: IsoDate | null;
  /** So many are read first. */
  readonly days: number;
};

export type ScopeCondition = string | { readonly $in: string[] };

/** Back to before the first filing. */
export const EVERY_DAY = 100_000;

/** A read that takes longer is ended before the caller's own deadline. */
export const READ = { maxTimeMS: 2_500 };
/** EDGAR took its first filings in 1993: back to here is back to the first. */
const FIRST_YEAR = '1993';
/** Trades are filed on five days of seven, on some more than on others. */
const MARGIN = 1.6;
const GROWTH_OF_NONE = 4;
/** So few trades tell little of how many a day has. */
const FEW = 100;
const MOST_GROWTH_OF_FEW = 16;

export type Newest = {
  /** In the order of the list. */
  readonly ids: readonly string[];
  /** No more match. */
  readonly areAll: boolean;
  /** So many days were read. */
  readonly days: number;
};

/** The ids of the newest that match, so many as are wanted. */
export async function newestTrades(db: Db, listing: Listing, wanted: number): Promise<Newest> {
  const read = async (filed: Filed): Promise<Ordered[]> => {
    const stages = listing.scopes.map((scope) => stagesOf(listing, { scope, ...filed }));
    const found = await Promise.all(stages.map((some) => orderedIn(db, some, wanted)));
    return found
      .flat()
      .sort((a, b) => compare(b.order, a.order))
      .slice(0, wanted);
  };
  const sizeOf = ({ length }: readonly Ordered[]): number => length;
  const join = (newer: Ordered[], older: Ordered[]): Ordered[] => [...newer, ...older].slice(0, wanted);
  const { found, isWhole, days } = await widen(listing, wanted, { read, sizeOf, join });
  return { ids: found.map(({ _id }) => _id), areAll: isWhole && found.length < wanted, days };
}

/** How many match, counted up to a number. */
export async function countTrades(db: Db, listing: Listing, most: number): Promise<number> {
  const read = async (filed: Filed): Promise<number> => {
    const stages = listing.scopes.map((scope) => stagesOf(listing, { scope, ...filed }));
    const counts = await Promise.all(stages.map((some) => countIn(db, some, most)));
    return counts.reduce((sum, one) => sum + one, 0);
  };
  const join = (newer: number, older: number): number => newer + older;
  const { found } = await widen(listing, most, { read, sizeOf: (count) => count, join });
  return found;
}

/** From a day on and before another; null is from the first, and to the last. */
type Filed = { readonly since: IsoDate | null; readonly before: IsoDate | null };

type Reading<T> = {
  readonly read: (filed: Filed) => Promise<T>;
  readonly sizeOf: (found: T) => number;
  readonly join: (newer: T, older: T) => T;
};

/** Reads more days until they hold so many, or there are no more. */
async function widen<T>(
  { newest, oldest, days: first }: Listing,
  wanted: number,
  { read, sizeOf, join }: Reading<T>,
): Promise<{ readonly found: T; readonly isWhole: boolean; readonly days: number }> {
  let last = 0;
  for (let days = first; ; ) {
    const since = addDays(newest, -days);
    const isWhole = days >= EVERY_DAY || since <= (oldest ?? FIRST_YEAR);
    const found = await read({ since: isWhole ? oldest : since, before: null });
    const size = sizeOf(found);
    if (isWhole || size >= wanted) return { found, isWhole, days };
    if (size > 0 && size === last) {
      // Most likely there are no more, and what was found is not read again.
      const older = await read({ since: oldest, before: since });
      return { found: join(found, older), isWhole: true, days: EVERY_DAY };
    }
    days = Math.min(EVERY_DAY, Math.ceil(days * growth(size, wanted)));
    last = size;
  }
}

function growth(size: number, wanted: number): number {
  if (size === 0) return GROWTH_OF_NONE;
  const needed = (MARGIN * wanted) / size;
  return size < FEW ? Math.min(MOST_GROWTH_OF_FEW, needed) : needed;
}

type Stage = { readonly $match: Filter<TradeDoc> } | { readonly $sort: { readonly order: -1 } };

/**
 * The trades of a scope that were filed then, in the order of the list. The first stage is what the index over scopes and
 * order bounds: MongoDB joins all three, a simpler planner goes by it, and by a sort that comes next.
 */
export function stagesOf({ rest }: Pick<Listing, 'rest'>, { scope, since, before }: OfScope): Stage[] {
  const bound = { ...(since === null ? {} : { $gte: since }), ...(before === null ? {} : { $lt: before }) };
  const filed: Filter<TradeDoc> = Object.keys(bound).length === 0 ? {} : { order: bound };
  const isBounded = typeof scope === 'string';
  const bounds: Filter<TradeDoc> = { scopes: scope, ...(isBounded ? filed : {}) };
  const others: Filter<TradeDoc> = { ...(isBounded ? {} : filed), ...rest };
  const last = Object.keys(others).length === 0 ? [] : [{ $match: others }];
  return [{ $match: bounds }, { $sort: { order: -1 } }, ...last];
}

type OfScope = Filed & { readonly scope: ScopeCondition };

type Ordered = Pick<TradeDoc, '_id' | 'order'>;

function orderedIn(db: Db, stages: readonly Stage[], limit: number): Promise<Ordered[]> {
  const pipeline = [...stages, { $limit: limit }, { $project: { order: 1 } }];
  return tradesIn(db).aggregate<Ordered>(pipeline, READ).toArray();
}

async function countIn(db: Db, stages: readonly Stage[], limit: number): Promise<number> {
  const pipeline = [...stages, { $limit: limit }, { $count: 'n' }];
  const [count] = await tradesIn(db).aggregate<{ n: number }>(pipeline, READ).toArray();
  return Number(count?.n ?? 0);
}
