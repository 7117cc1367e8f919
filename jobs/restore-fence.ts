import { AppError } from '../src/errors.ts';
import { headSeq } from '../src/store/filing/events.ts';
import { filingsIn } from '../src/store/filing/filings.ts';
import { noteGap, seqFloor } from '../src/store/filing/settings.ts';
import type { JobContext } from './worker/context.ts';

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
