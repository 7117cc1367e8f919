import { LRUCache } from 'lru-cache';
import { type Db, type Filter, MongoServerError } from 'mongodb';
import { addDays } from '../../domain/calendar.ts';
import type { Cik, IsoDate } from '../../domain/ids.ts';
import { findByIds } from '../mongo/lists.ts';
import {
  countTrades,
  EVERY_DAY,
  type Listing,
  type Newest,
  newestTrades,
  READ,
  type ScopeCondition,
} from './newest.ts';
import { isOfThePast, type ScopeQuery, scopesFor } from './scope.ts';
import { type TradeDoc, tradesIn } from './trades.ts';

export type TradeQuery = ScopeQuery & {
  readonly issuerCik: Cik | null;
  readonly reportingOwnerCik: Cik | null;
  readonly minValueCents: bigint | null;
  readonly excludePlanned: boolean;
  /** Lines of other share classes, see `lines.ts`. */
  readonly withoutLines: readonly string[];
};

export type ListedTrade = {
  readonly issuerCik: Cik;
  readonly line: string;
  readonly placedOn: IsoDate;
  readonly item: string;
};

/** The list is paged and counted up to this many trades. */
export const MAX_LISTED = 10_000;
/** A form is dated the day of its acceptance or the next business day, and reports no later trade. */
const DATING_DAYS = 10;

type Page = {
  readonly skip: number;
  readonly limit: number;
  /** Matching trades are counted up to so many; {@link MAX_LISTED} unless given. */
  readonly most?: number;
};

type Listed = {
  readonly trades: readonly ListedTrade[];
  readonly total: number;
  /** More match than are counted. */
  readonly isLowerBound: boolean;
};

/** One page in the order of the list, and how many match. */
export async function listTrades(
  db: Db,
  query: TradeQuery,
  { skip, limit, most = MAX_LISTED }: Page,
): Promise<Listed> {
  const listing = listingOf(query);
  if (listing.scopes.length === 0) return { trades: [], total: 0, isLowerBound: false };
  const end = skip + limit;
  const asked = { query, most: Math.max(end, most + 1) };
  const rare = isOfEverybody(query) ? await rareTrades(db, listing, asked) : null;
  const { ids, areAll, days } = rare ?? (await newestTrades(db, listing, end));
  const isCounted = areAll || ids.length > most;
  const count = isOfEverybody(query) ? countUpTo : countTrades;
  const counted = isCounted ? ids.length : await count(db, { ...listing, days }, most + 1);
  return {
    trades: await tradesOf(db, ids.slice(skip, end)),
    total: Math.min(counted, most),
    isLowerBound: counted > most,
  };
}

const isOfEverybody = ({ issuerCik, reportingOwnerCik }: TradeQuery): boolean =>
  issuerCik === null && reportingOwnerCik === null;

/** In the order of the ids, without those that were emptied since. */
async function tradesOf(db: Db, ids: readonly string[]): Promise<ListedTrade[]> {
  const fields = { issuerCik: 1, line: 1, placedOn: 1, item: 1 };
  const found = new Map((await findByIds(tradesIn(db), ids, fields)).map((doc) => [doc._id, doc]));
  return ids.flatMap((id): ListedTrade[] => {
    const { issuerCik, line, placedOn, item } = found.get(id) ?? {};
    return issuerCik === undefined || line === undefined || !placedOn || !item
      ? []
      : [{ issuerCik, line, placedOn, item }];
  });
}

/** All issuers have thousands of trades a day, few issuers and owners have so many in years. */
const DAYS_OF_EVERYBODY = 1;
const DAYS_OF_ONE = 300;

export function listingOf(query: TradeQuery): Listing {
  const { since, asOf } = query;
  const scopes = scopesFor(query);
  const listing = {
    scopes,
    rest: restOf(query),
    newest: asOf,
    oldest: since === null ? null : addDays(since, -DATING_DAYS),
  };
  if (!isOfEverybody(query)) return { ...listing, days: DAYS_OF_ONE };
  if (isOfThePast(query)) return { ...listing, scopes: inOneRead(scopes), days: EVERY_DAY };
  return { ...listing, days: DAYS_OF_EVERYBODY };
}

/** Trades of the past may have been filed on any day since, so that no read is small. */
const inOneRead = (scopes: string[]): ScopeCondition[] => (scopes.length > 1 ? [{ $in: scopes }] : scopes);

function restOf(query: TradeQuery): Filter<TradeDoc> {
  const { since, until } = query;
  const rest: Filter<TradeDoc> = {};
  if (since !== null || until !== null) rest.placedOn = between(since, until);
  if (query.minValueCents !== null) rest.valueCents = { $gte: query.minValueCents };
  if (query.reportingOwnerCik !== null && query.issuerCik !== null) rest.issuerCik = query.issuerCik;
  if (query.excludePlanned) rest.isPlanned = false;
  if (query.withoutLines.length > 0) rest.line = { $nin: [...query.withoutLines] };
  return rest;
}

function between(since: IsoDate | null, until: IsoDate | null): { $gte?: IsoDate; $lte?: IsoDate } {
  return { ...(since === null ? {} : { $gte: since }), ...(until === null ? {} : { $lte: until }) };
}

/** For so long a list is taken to have more trades than are counted… */
const BELIEVED_MS = 60_000;
/** …if it had this part more: so many are not replaced or withdrawn in that time. */
const SPARE = 1 / 10;
const MAX_LISTS = 1_000;

/** What the last count of a list said. One of few is counted again, at once back to the first. */
type Size = 'many' | 'few';

const sizesIn = new WeakMap<Db, LRUCache<string, Size>>();

/**
 * How many match, counted up to a number or a few more (rule 11.8). To count 10,000 costs ten times as much as a page,
 * and on the Python engine nearly the time that a call has.
 */
async function countUpTo(db: Db, listing: Listing, most: number): Promise<number> {
  const sizes = sizesIn.get(db) ?? new LRUCache<string, Size>({ max: MAX_LISTS, ttl: BELIEVED_MS });
  sizesIn.set(db, sizes);
  const key = keyOf(listing, most);
  const size = sizes.get(key);
  if (size === 'many') return most;
  const enough = most + Math.ceil(most * SPARE);
  const days = size === 'few' ? EVERY_DAY : listing.days;
  const count = await countTrades(db, { ...listing, days }, enough);
  sizes.set(key, count < enough ? 'few' : 'many');
  return count;
}

function keyOf({ scopes, rest, newest, oldest }: Listing, most: number): string {
  const plain = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  return JSON.stringify([scopes, rest, newest, oldest, most], plain);
}

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
async function rareTrades(db: Db, { scopes, rest }: Listing, { query, most }: Asked): Promise<Newest | null> {
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
