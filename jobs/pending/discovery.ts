import { backfill } from '../../queues/backfill.ts';
import { bulk } from '../../queues/bulk.ts';
import { reconcile } from '../../queues/reconcile.ts';
import { reference } from '../../queues/reference.ts';
import { isImported, REFERENCE_RUN } from '../../src/store/filing/imports.ts';
import { backfillState } from '../../src/store/filing/index-days.ts';
import { requireAsOf } from '../../src/store/filing/settings.ts';
import type { JobContext } from '../worker/context.ts';

/**
 * Enqueues again what finds out which filings there are, where a lost queue or a turned as-of date
 * left it undone. A day whose reading failed for good keeps its job's id and waits for the next
 * scheduled backfill; one whose job is gone is read at once.
 */
export async function enqueuePendingDiscovery(context: JobContext, slot: number): Promise<void> {
  const { db, producer } = context;
  if ((await producer.load(['reference'])) === 0 && !(await isImported(db, REFERENCE_RUN))) {
    await producer.enqueue(reference, { slot });
  }
  if ((await producer.load(['backfill', 'reconcile'])) > 0) return;
  const state = await backfillState(db);
  if (state === null || (await isTurned(context, state.through))) {
    await producer.enqueue(backfill, { slot });
    return;
  }
  if (state.held.length > 0 && (await producer.load(['bulk'])) === 0) {
    await producer.enqueue(bulk, { slot: state.slot });
  }
  await producer.enqueueAll(
    reconcile,
    state.left.map((date) => ({ date, run: state.slot })),
  );
}

/** A day that was set and not the clock's: the clock's next day has its own scheduled backfill. */
async function isTurned({ db, config }: JobContext, through: string): Promise<boolean> {
  return config.asOf !== undefined && through !== (await requireAsOf(db));
}
