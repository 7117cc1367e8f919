import type { Db, Filter } from 'mongodb';
import { addDays } from '../../domain/calendar.ts';
import type { Cik, IsoDate } from '../../domain/ids.ts';
import { findByIds } from '../mongo/lists.ts';
import { countUpTo } from './many.ts';
import { countTrades, EVERY_DAY, type Listing, newestTrades, type ScopeCondition } from './newest.ts';
import { rareTrades } from './rare.ts';
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
