import type { Db } from 'mongodb';
import { formSecurity } from '../src/domain/insider/item.ts';
import { AppError } from '../src/errors.ts';
import { olderThan } from '../src/read/audit/events.ts';
import { eventOf, headSeq, insertEvents, markPublished } from '../src/store/filing/events.ts';
import { type FilingDoc, filingsIn } from '../src/store/filing/filings.ts';
import { seqFloor } from '../src/store/filing/settings.ts';
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
