import type { Db, Filter } from 'mongodb';
import type { WatchlistDoc } from '../account/watchlists.ts';
import { type EventDoc, type EventPage, eventsIn, headSeq } from './events.ts';

/** Whose filings are looked for; either list may be empty. */
export type Watched = Pick<WatchlistDoc, 'tickers' | 'ciks'>;

export type WatchedQuery = {
  /** Null: the latest `limit` events. */
  readonly since: number | null;
  readonly limit: number;
};

/**
 * The events of the tickers and of the CIKs, issuers or reporting owners, as {@link EventPage}s are.
 * One indexed read per dimension, because an `$or` over three arrays would be planned as a scan: each
 * brings the first `limit` of its own, so the first `limit` of all are among them.
 */
export async function readWatchedEvents(db: Db, watched: Watched, query: WatchedQuery): Promise<EventPage> {
  const head = await headSeq(db);
  const found = await Promise.all(
    dimensionsOf(watched).map((dimension) => readOne(db, dimension, { ...query, head })),
  );
  const events = merged(found.flat(), query);
  const last = events.at(-1);
  if (query.since === null) return { events, nextCursor: head, head };
  const full = events.length === query.limit && last !== undefined;
  return { events, nextCursor: full ? Number(last._id) : Math.max(query.since, head), head };
}

function dimensionsOf({ tickers, ciks }: Watched): Filter<EventDoc>[] {
  const byTicker = tickers.length === 0 ? [] : [{ ticker: { $in: [...tickers] } }];
  if (ciks.length === 0) return byTicker;
  return [...byTicker, { issuerCik: { $in: [...ciks] } }, { reportingOwnerCiks: { $in: [...ciks] } }];
}

/** The first after the cursor, or the last of all; up to the head that was read before. */
async function readOne(
  db: Db,
  dimension: Filter<EventDoc>,
  { since, limit, head }: WatchedQuery & { readonly head: number },
): Promise<EventDoc[]> {
  const range = since === null ? { $lte: head } : { $gt: since, $lte: head };
  return eventsIn(db)
    .find({ ...dimension, _id: range })
    .sort({ _id: since === null ? -1 : 1 })
    .limit(limit)
    .toArray();
}

/** Each once, ascending, cut at the end that the cursor does not reach: the newest stay without one. */
function merged(found: readonly EventDoc[], { since, limit }: WatchedQuery): EventDoc[] {
  const bySeq = new Map(found.map((event) => [Number(event._id), event]));
  const events = [...bySeq].sort(([a], [b]) => a - b).map(([, event]) => event);
  return since === null ? events.slice(-limit) : events.slice(0, limit);
}
