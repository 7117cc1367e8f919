import { MongoServerError } from 'mongodb';
import { submissionTextUrl } from '../src/domain/filing/edgar-url.ts';
import { AppError } from '../src/errors.ts';
import { type EventDoc, eventsIn, headSeq } from '../src/store/filing/events.ts';
import { type FilingDoc, filingsIn } from '../src/store/filing/filings.ts';
import type { Job } from './worker/context.ts';

const BATCH = 200;

/**
 * Publishes pending filings as events by compare-and-set: the next `_id` is the highest plus one,
 * inserted in order, so that two sequencers, or one that was asleep, can only win or lose a number
 * and never lose or reuse one (rule 13.1). No lock is needed for that.
 */
export const sequence: Job<{ slot: number }> = async ({ db, log }) => {
  for (;;) {
    const pending = await filingsIn(db)
      .find({ event: 'pending' })
      .sort({ 'publishedAt.value': 1, _id: 1 })
      .limit(BATCH)
      .toArray();
    if (pending.length === 0) return;
    const published = await markPublished(db, pending);
    const waiting = pending.filter((filing) => !published.has(filing._id));
    if (waiting.length === 0) continue;
    const head = await headSeq(db);
    const events = waiting.map((filing, n) => toEvent(filing, head + 1 + n));
    await insertInOrder(db, events);
    await markPublished(db, waiting);
    log.debug({ events: events.length, head: head + events.length }, 'sequenced');
  }
};

/** Marks the filings whose event exists already: a crash came between insert and mark. */
async function markPublished(
  db: Parameters<typeof filingsIn>[0],
  filings: readonly FilingDoc[],
): Promise<Set<string>> {
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

async function insertInOrder(
  db: Parameters<typeof filingsIn>[0],
  events: readonly EventDoc[],
): Promise<void> {
  try {
    await eventsIn(db).insertMany([...events], { ordered: true });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== 11000) throw error;
    throw new AppError('sequence_conflict', 'another sequencer took the number', {
      retry: true,
      cause: error,
    });
  }
}

function toEvent(filing: FilingDoc, seq: number): EventDoc {
  return {
    _id: seq,
    accession: filing._id,
    form: filing.form,
    ticker: filing.ticker,
    issuer: filing.ownership?.issuer.name ?? filing.company,
    issuerCik: filing.issuerCik,
    ownerCiks: filing.ownerCiks,
    filedAt: filing.publishedAt?.value ?? filing.filedDate,
    sourceUrl: submissionTextUrl(filing.cik, filing._id),
  };
}
