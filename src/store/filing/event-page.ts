import type { Db, Filter } from 'mongodb';
import type { Cik, Ticker } from '../../domain/ids.ts';
import { type EventDoc, eventsIn, headSeq } from './events.ts';

/** Which part of the stream is read. */
export type EventRange = {
  /** Null: the latest `limit` events. */
  readonly since: number | null;
  readonly limit: number;
};

export type EventPage = { readonly events: EventDoc[]; readonly nextCursor: number; readonly head: number };

export type EventQuery = EventRange & {
  /** EDGAR form types; empty for all. */
  readonly forms: readonly string[];
  readonly tickers: readonly string[];
};

/** The events of the forms and tickers. */
export async function readEvents(db: Db, { forms, tickers, ...range }: EventQuery): Promise<EventPage> {
  const filter: Filter<EventDoc> = {};
  if (forms.length > 0) filter.form = { $in: [...forms] };
  if (tickers.length > 0) filter.ticker = { $in: [...tickers] };
  return readPage(db, [filter], range);
}

/** Whose filings are read; either list may be empty. */
export type Watched = { readonly tickers: readonly Ticker[]; readonly ciks: readonly Cik[] };

/**
 * The events of the tickers, and of the CIKs as issuers or reporting owners. One indexed read for
 * each, because an `$or` over three arrays would be planned as a scan.
 */
export async function readWatchedEvents(
  db: Db,
  { tickers, ciks }: Watched,
  range: EventRange,
): Promise<EventPage> {
  const ofCiks = { $in: [...ciks] };
  return readPage(
    db,
    [
      ...(tickers.length === 0 ? [] : [{ ticker: { $in: [...tickers] } }]),
      ...(ciks.length === 0 ? [] : [{ issuerCik: ofCiks }, { reportingOwnerCiks: ofCiks }]),
    ],
    range,
  );
}

/**
 * Reads the head first and the page up to it, so that the cursor never passes an event that was not
 * yet visible (rule 13.1). A full page ends at its last event, any other one at the head. Each filter
 * brings the first `limit` of its own events, so the first `limit` of all are among them.
 */
async function readPage(
  db: Db,
  filters: readonly Filter<EventDoc>[],
  { since, limit }: EventRange,
): Promise<EventPage> {
  const head = await headSeq(db);
  const range = since === null ? { $lte: head } : { $gt: since, $lte: head };
  const found = await Promise.all(
    filters.map((filter) =>
      eventsIn(db)
        .find({ ...filter, _id: range })
        .sort({ _id: since === null ? -1 : 1 })
        .limit(limit)
        .toArray(),
    ),
  );
  const bySeq = new Map(found.flat().map((event) => [Number(event._id), event]));
  const ascending = [...bySeq].sort(([a], [b]) => a - b).map(([, event]) => event);
  if (since === null) return { events: ascending.slice(-limit), nextCursor: head, head };
  const events = ascending.slice(0, limit);
  const last = events.at(-1);
  const isFull = events.length === limit && last !== undefined;
  return { events, nextCursor: isFull ? Number(last._id) : Math.max(since, head), head };
}
