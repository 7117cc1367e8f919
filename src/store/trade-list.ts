import type { Db, Filter } from 'mongodb';
import { addDays } from '../domain/calendar.ts';
import type { Cik, IsoDate } from '../domain/ids.ts';
import { type ScopeQuery, scopesFor } from './trade-scope.ts';
import { type TradeDoc, tradesIn } from './trades.ts';

export type TradeQuery = ScopeQuery & {
  readonly issuerCik: Cik | null;
  readonly ownerCik: Cik | null;
  readonly minValueCents: bigint | null;
  readonly excludePlanned: boolean;
  /** Lines of other share classes, see `trade-lines.ts`. */
  readonly withoutLines: readonly string[];
};

export type TradePage = {
  readonly trades: ListedTrade[];
  readonly total: number;
  /** More match than are counted. */
  readonly isLowerBound: boolean;
};

export type ListedTrade = { readonly issuerCik: Cik; readonly line: string; readonly item: string };

/** So deep may one page into the list, and so far is it counted. */
export const MAX_LISTED = 10_000;
/** A form is dated the day of its acceptance or the next business day, and reports nothing later. */
const DATING_DAYS = 10;

/** One page in the order of the list, and how many match. Throws nothing of its own. */
export async function listTrades(
  db: Db,
  query: TradeQuery,
  { skip, limit }: { skip: number; limit: number },
): Promise<TradePage> {
  const filter = tradeFilter(query);
  if (filter === null) return { trades: [], total: 0, isLowerBound: false };
  const found = await tradesIn(db)
    .find(filter, { projection: { issuerCik: 1, line: 1, item: 1 } })
    .sort({ order: -1 })
    .skip(skip)
    .limit(limit)
    .toArray();
  const trades = found.flatMap(({ issuerCik, line, item }) =>
    item === null ? [] : [{ issuerCik, line, item }],
  );
  const isEnd = found.length < limit && (found.length > 0 || skip === 0);
  const counted = isEnd ? skip + found.length : await countTrades(db, filter);
  return { trades, total: Math.min(counted, MAX_LISTED), isLowerBound: counted > MAX_LISTED };
}

async function countTrades(db: Db, filter: Filter<TradeDoc>): Promise<number> {
  return Number(await tradesIn(db).countDocuments(filter, { limit: MAX_LISTED + 1 }));
}

/** Null when nothing can match. A scope is always named, so the index over scopes serves every list. */
export function tradeFilter(query: TradeQuery): Filter<TradeDoc> | null {
  const scopes = scopesFor(query);
  const [scope, ...others] = scopes;
  if (scope === undefined) return null;
  const filter: Filter<TradeDoc> = { scopes: others.length === 0 ? scope : { $in: scopes } };
  const { since, until } = query;
  if (since !== null) filter.order = { $gte: addDays(since, -DATING_DAYS) };
  if (since !== null || until !== null) filter.placedOn = between(since, until);
  if (query.minValueCents !== null) filter.valueCents = { $gte: query.minValueCents };
  if (query.ownerCik !== null && query.issuerCik !== null) filter.issuerCik = query.issuerCik;
  if (query.excludePlanned) filter.isPlanned = false;
  if (query.withoutLines.length > 0) filter.line = { $nin: [...query.withoutLines] };
  return filter;
}

function between(since: IsoDate | null, until: IsoDate | null): { $gte?: IsoDate; $lte?: IsoDate } {
  return { ...(since === null ? {} : { $gte: since }), ...(until === null ? {} : { $lte: until }) };
}
