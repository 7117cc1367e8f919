import type { Db, Filter } from 'mongodb';
import { submissionTextUrl } from '../../domain/filing/filing.ts';
import type { Accession, Cik, Ticker } from '../../domain/ids.ts';
import { AppError } from '../../errors.ts';
import { findAmong } from '../mongo/lists.ts';
import { isDuplicate } from '../mongo/write.ts';
import { type FilingDoc, filingsIn } from './filings.ts';
import { saveSetting, settingOf } from './settings.ts';

/** One entry of the stream. `_id` is the seq: assigned once, never reused or renumbered. */
export type EventDoc = {
  _id: number;
  accession: Accession;
  form: string;
  ticker: string;
  issuer: string;
  issuerCik: Cik | null;
  reportingOwnerCiks: readonly Cik[];
  filedAt: string;
  sourceUrl: string;
};

export const eventsIn = (db: Db) => db.collection<EventDoc>('events');

type Published = { readonly seq: number; readonly ticker: string };

export function eventOf(filing: FilingDoc, { seq, ticker }: Published): EventDoc {
  return {
    _id: seq,
    accession: filing._id,
    form: filing.form,
    ticker,
    issuer: filing.company,
    issuerCik: filing.issuerCik,
    reportingOwnerCiks: filing.reportingOwnerCiks,
    filedAt: filing.publishedAt?.value ?? filing.filedDate,
    sourceUrl: submissionTextUrl(filing.cik, filing._id),
  };
}

/** Inserts in order. Throws `sequence_conflict` (retryable) when another sequencer took a number. */
export async function insertEvents(db: Db, events: readonly EventDoc[]): Promise<void> {
  try {
    await eventsIn(db).insertMany([...events], { ordered: true });
  } catch (cause) {
    if (!isDuplicate(cause)) throw cause;
    throw new AppError('sequence_conflict', 'another sequencer took the number', { retry: true, cause });
  }
}

/** Marks the filings whose event exists and returns their accessions. */
export async function markPublished(db: Db, filings: readonly FilingDoc[]): Promise<Set<string>> {
  const accessions = filings.map((filing) => filing._id);
  const known = await findAmong(eventsIn(db), { field: 'accession', values: accessions });
  if (known.length === 0) return new Set();
  await filingsIn(db).bulkWrite(
    known.map((event) => ({
      updateOne: {
        filter: { _id: event.accession },
        update: { $set: { event: 'published' as const, seq: Number(event._id) } },
      },
    })),
  );
  return new Set(known.map((event) => event.accession));
}

/** The highest seq, 0 before the first event. A majority read: a seq seen here is never taken back. */
export async function headSeq(db: Db): Promise<number> {
  const last = await eventsIn(db)
    .find({}, { projection: { _id: 1 } })
    .sort({ _id: -1 })
    .limit(1)
    .next();
  return last === null ? 0 : Number(last._id);
}

/** Which part of the stream is read. */
type EventRange = {
  /** Null: the latest `limit` events. */
  readonly since: number | null;
  readonly limit: number;
};

type EventQuery = EventRange & {
  /** EDGAR form types; empty for all. */
  readonly forms: readonly string[];
  readonly tickers: readonly string[];
};

/** The events of the forms and tickers. */
export async function readEvents(db: Db, { forms, tickers, ...range }: EventQuery) {
  const filter: Filter<EventDoc> = {};
  if (forms.length > 0) filter.form = { $in: [...forms] };
  if (tickers.length > 0) filter.ticker = { $in: [...tickers] };
  return readPage(db, [filter], range);
}

/** Whose filings are read; either list may be empty. */
type Watched = { readonly tickers: readonly Ticker[]; readonly ciks: readonly Cik[] };

/**
 * The events of the tickers, and of the CIKs as issuers or reporting owners. One indexed read for
 * each, because an `$or` over three arrays would be planned as a scan.
 */
export async function readWatchedEvents(db: Db, { tickers, ciks }: Watched, range: EventRange) {
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
async function readPage(db: Db, filters: readonly Filter<EventDoc>[], { since, limit }: EventRange) {
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

/** One thing that is not as rule 13.1 says. */
export type EventProblem = {
  readonly code:
    | 'missing_numbers'
    | 'filing_disagrees'
    | 'filing_without_event'
    | 'overdue'
    | 'poller_differs'
    | 'older_than_published';
  readonly message: string;
};

/** What a check of the stream counted and found. */
export type EventCheck = {
  /** ISO 8601 UTC */
  readonly at: string;
  readonly head: number;
  readonly events: number;
  /** Recorded gaps. */
  readonly gaps: number;
  /** Filings that say they are published. */
  readonly published: number;
  readonly pending: number;
  /** The highest number that was ever published; 0 when that is not known. */
  readonly highest: number;
  readonly problem_count: number;
  /** The first ones. */
  readonly problems: readonly EventProblem[];
};

const CHECK = 'events_check';

export function saveEventCheck(db: Db, check: EventCheck): Promise<void> {
  return saveSetting(db, CHECK, check);
}

/** Null before the first one. */
export function lastEventCheck(db: Db): Promise<EventCheck | null> {
  return settingOf<EventCheck>(db, CHECK);
}
