import type { Db } from 'mongodb';
import { formSecurity } from '../src/domain/insider/item.ts';
import { AppError } from '../src/errors.ts';
import { olderThan } from '../src/read/audit/events.ts';
import { eventOf, headSeq, insertEvents, markPublished } from '../src/store/filing/events.ts';
import { type FilingDoc, filingsIn } from '../src/store/filing/filings.ts';
import { noteGap, seqFloor } from '../src/store/filing/settings.ts';
import { tickersOfForms } from '../src/store/security/securities.ts';
import type { Job, JobContext } from './worker/context.ts';

const BATCH = 200;

/**
 * Publishes pending filings as events by compare-and-set, without a lock. The next `_id` is the highest
 * plus one, inserted in order. Of two sequencers one wins a number and the other tries again, so that no
 * number is lost or used twice (rule 13.1).
 */
export const sequence: Job<'sequence'> = async (context) => {
  const { db, highestSeq, log } = context;
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
    const tickers: string[] = [];
    for (const filing of waiting) tickers.push(await tickerOf(db, filing));
    const last = await lastNumber(context);
    const events = waiting.map((filing, n) =>
      eventOf(filing, { seq: last + 1 + n, ticker: tickers[n] ?? '' }),
    );
    await insertEvents(db, events);
    await highestSeq.raise(last + events.length);
    await markPublished(db, waiting);
    log.debug({ events: events.length, head: last + events.length }, 'sequenced');
  }
};

/**
 * The highest number that was given or fenced off. Throws `events_restored` when MongoDB is older than
 * what readers have seen: its next numbers would be ones that they have passed.
 */
async function lastNumber({ db, highestSeq }: JobContext): Promise<number> {
  // First: it is raised after an insert, so what is read later is not behind it.
  const highest = await highestSeq.read();
  const last = Math.max(await headSeq(db), await seqFloor(db));
  if (last < highest) throw new AppError('events_restored', olderThan(last, highest));
  // A crash came between an insert and this, or that Redis was lost.
  if (highest < last) await highestSeq.raise(last);
  return last;
}

/** The ticker that a form means (rule 6.10), else empty. */
async function tickerOf(db: Db, { content }: Pick<FilingDoc, 'content'>): Promise<string> {
  if (content?.kind !== 'ownership') return '';
  return (await tickersOfForms(db, [formSecurity(content)]))[0] ?? '';
}

/** No installation publishes so many events between two writes of the highest number. */
export const FENCE_WIDTH = 1_000_000;

type Fence = {
  /** Numbers that no event will have; null when nothing is behind what readers have seen. */
  readonly gap: { readonly from: number; readonly to: number } | null;
  /** Filings whose event was not restored: they get a new number. */
  readonly renumbered: number;
};

/**
 * After MongoDB was restored from an older copy: moves the stream behind every number that a reader may
 * have seen. What was published since the copy is published again under new numbers, so that each event
 * reaches every reader (rule 13.1). Safe to repeat. Throws `workers_running`.
 * @param above a number that was published, where it is known better than here
 */
export async function restoreFence(
  { db, producer, highestSeq, now }: Pick<JobContext, 'db' | 'producer' | 'highestSeq' | 'now'>,
  above = 0,
): Promise<Fence> {
  await requireNoSequencer(producer);
  await highestSeq.raise(above);
  const highest = await highestSeq.read();
  const head = await headSeq(db);
  // First: once the gap is noted, a second run finds nothing behind.
  const { modifiedCount } = await filingsIn(db).updateMany(
    { event: 'published', seq: { $gt: head } },
    { $set: { event: 'pending', seq: null } },
  );
  const last = Math.max(head, await seqFloor(db));
  if (last >= highest) return { gap: null, renumbered: modifiedCount };
  const gap = { from: last + 1, to: highest + FENCE_WIDTH };
  await noteGap(db, { ...gap, at: now().toISOString() });
  return { gap, renumbered: modifiedCount };
}

/** Throws `workers_running`: one that waits between its read and its insert would number below the fence. */
export async function requireNoSequencer(producer: Pick<JobContext['producer'], 'workers'>): Promise<void> {
  if ((await producer.workers('sequence')) === 0) return;
  const message = 'A worker numbers events. Stop all workers, then run this again.';
  throw new AppError('workers_running', message, { retry: true });
}
