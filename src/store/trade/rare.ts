import { type Db, type Filter, MongoServerError } from 'mongodb';
import { addDays } from '../../domain/calendar.ts';
import { EVERY_DAY, type Listing, type Newest, READ } from './newest.ts';
import { isOfThePast, type ScopeQuery } from './scope.ts';
import { type TradeDoc, tradesIn } from './trades.ts';

/** So many are read whole. */
const FEW = 10_000;
/** The trades of so many days are few compared with all. */
const SHORT_DAYS = 31;

const COUNT_MS = 1_000;
/** Code of MongoDB. */
const MAX_TIME_EXPIRED = 50;

type Asked = { readonly query: Pick<ScopeQuery, 'since' | 'until' | 'asOf'>; readonly most: number };

/**
 * The newest that match, so many at most, where few are placed on such days or have such a value; null where that is
 * not so. The list would be read nearly to its end for them.
 */
export async function rareTrades(
  db: Db,
  { scopes, rest }: Listing,
  { query, most }: Asked,
): Promise<Newest | null> {
  const { valueCents, placedOn } = rest;
  const inScopes = { $in: scopes.flatMap((scope) => (typeof scope === 'string' ? scope : scope.$in)) };
  const asked = { matching: { ...rest, scopes: inScopes }, most };
  if (valueCents !== undefined && (await areFew(db, { valueCents })))
    return newestWithin(db, { valueCents }, asked);
  if (placedOn === undefined || !isShortPast(query)) return null;
  return newestWithin(db, { placedOn }, asked);
}

/** The newest days are read by the list. */
const isShortPast = (query: Asked['query']): boolean =>
  isOfThePast(query) && query.since !== null && query.until <= addDays(query.since, SHORT_DAYS);

type Within = { readonly matching: Filter<TradeDoc>; readonly most: number };

/** A simpler planner goes by the first stage. */
async function newestWithin(db: Db, bound: Filter<TradeDoc>, { matching, most }: Within): Promise<Newest> {
  const sorted = [{ $match: bound }, { $sort: { order: -1 } }, { $match: matching }];
  const stages = [...sorted, { $limit: most }, { $project: { order: 1 } }];
  const found = await tradesIn(db).aggregate<Pick<TradeDoc, '_id' | 'order'>>(stages, READ).toArray();
  return { ids: found.map(({ _id }) => _id), areAll: found.length < most, days: EVERY_DAY };
}

/** Not known within a second is not few: while its index is built after an upgrade, the list is read instead. */
async function areFew(db: Db, query: Filter<TradeDoc>): Promise<boolean> {
  const count = { count: tradesIn(db).collectionName, query, limit: FEW + 1, maxTimeMS: COUNT_MS };
  try {
    return Number((await db.command(count))['n']) <= FEW;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === MAX_TIME_EXPIRED) return false;
    throw error;
  }
}
