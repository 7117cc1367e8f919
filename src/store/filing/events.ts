import type { Db } from 'mongodb';
import { submissionTextUrl } from '../../domain/filing/edgar-url.ts';
import type { Accession, Cik } from '../../domain/ids.ts';
import { AppError } from '../../errors.ts';
import { isDuplicate } from '../mongo/write.ts';
import { type FilingDoc, filingsIn } from './filings.ts';

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

export function eventOf(filing: FilingDoc, seq: number): EventDoc {
  return {
    _id: seq,
    accession: filing._id,
    form: filing.form,
    ticker: filing.ticker,
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
  const known = await eventsIn(db)
    .find({ accession: { $in: filings.map((filing) => filing._id) } })
    .toArray();
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
