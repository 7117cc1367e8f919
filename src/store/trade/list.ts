import type { Db, Filter } from 'mongodb';
import { addDays } from '../../domain/calendar.ts';
import type { Cik, IsoDate } from '../../domain/ids.ts';
import { findByIds } from '../mongo/lists.ts';
import { rareTrades } from './rare.ts';
import { type ScopeQuery, scopesFor } from './scope.ts';
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

/** A read that takes longer is ended before the caller's own deadline. */
const READ = { maxTimeMS: 2_500 };

type Page = {
  readonly skip: number;
  readonly limit: number;
  /** Matching trades are counted up to so many; {@link MAX_LISTED} unless given. */
  readonly most?: number;
};

/** One page in the order of the list, and how many match; `isLowerBound` when more match than are counted. */
export async function listTrades(db: Db, query: TradeQuery, { skip, limit, most = MAX_LISTED }: Page) {
  const matching = matchStages(query);
  if (matching === null) return { trades: [], total: 0, isLowerBound: false };
  const rare = ofEverybody(query) ? await rareTrades(db, matching) : null;
  if (rare !== null) return pageOfRare(db, rare, { skip, limit, most });
  const trades = await tradesIn(db)
    .aggregate<ListedTrade>(
      [
        ...matching,
        { $sort: { order: -1 } },
        { $skip: skip },
        { $limit: limit },
        { $project: { _id: 0, issuerCik: 1, line: 1, placedOn: 1, item: 1 } },
      ],
      READ,
    )
    .toArray();
  const isEnd = trades.length < limit && (trades.length > 0 || skip === 0);
  const counted = isEnd ? skip + trades.length : await countTrades(db, matching, most);
  return { trades, total: Math.min(counted, most), isLowerBound: counted > most };
}

/** The trades of one issuer or owner are few enough. */
const ofEverybody = ({ issuerCik, reportingOwnerCik }: TradeQuery): boolean =>
  issuerCik === null && reportingOwnerCik === null;

async function pageOfRare(db: Db, ids: readonly string[], { skip, limit, most }: Required<Page>) {
  const wanted = ids.slice(skip, skip + limit);
  const fields = { issuerCik: 1, line: 1, placedOn: 1, item: 1 };
  const found = new Map((await findByIds(tradesIn(db), wanted, fields)).map((doc) => [doc._id, doc]));
  const trades = wanted.flatMap((id): ListedTrade[] => {
    const { issuerCik, line, placedOn, item } = found.get(id) ?? {};
    return issuerCik === undefined || line === undefined || !placedOn || !item
      ? []
      : [{ issuerCik, line, placedOn, item }];
  });
  return { trades, total: Math.min(ids.length, most), isLowerBound: ids.length > most };
}

async function countTrades(db: Db, matching: readonly Match[], most: number): Promise<number> {
  const [count] = await tradesIn(db)
    .aggregate<{ n: number }>([...matching, { $limit: most + 1 }, { $count: 'n' }], READ)
    .toArray();
  return Number(count?.n ?? 0);
}

type Match = { readonly $match: Filter<TradeDoc> };

/**
 * Null when nothing can match. The first stage is what the index over scopes and order bounds, the
 * second the rest. MongoDB joins the two; a simpler planner would scan without the first.
 */
export function matchStages(query: TradeQuery): Match[] | null {
  const scopes = scopesFor(query);
  const [scope, ...others] = scopes;
  if (scope === undefined) return null;
  const bounds: Filter<TradeDoc> = { scopes: others.length === 0 ? scope : { $in: scopes } };
  if (query.since !== null) bounds.order = { $gte: addDays(query.since, -DATING_DAYS) };
  const rest = restOf(query);
  return [{ $match: bounds }, ...(Object.keys(rest).length === 0 ? [] : [{ $match: rest }])];
}

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
