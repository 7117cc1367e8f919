import { eventOf, headSeq, insertEvents, markPublished } from '../src/store/filing/events.ts';
import { filingsIn } from '../src/store/filing/filings.ts';
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
    const events = waiting.map((filing, n) => eventOf(filing, head + 1 + n));
    await insertEvents(db, events);
    await markPublished(db, waiting);
    log.debug({ events: events.length, head: head + events.length }, 'sequenced');
  }
};
