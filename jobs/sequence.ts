import { eventOf, headSeq, insertEvents, markPublished } from '../src/store/filing/events.ts';
import { filingsIn } from '../src/store/filing/filings.ts';
import type { Job } from './worker/context.ts';

const BATCH = 200;

/**
 * Publishes pending filings as events by compare-and-set, without a lock. The next `_id` is the highest
 * plus one, inserted in order. Of two sequencers one wins a number and the other tries again, so that no
 * number is lost or used twice (rule 13.1).
 */
export const sequence: Job<'sequence'> = async ({ db, log }) => {
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
