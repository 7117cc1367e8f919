import { refreshPeers } from '../src/derive/peers/writer.ts';
import type { QuarterEnd } from '../src/domain/ids.ts';
import { invalidationsIn, settleInvalidation } from '../src/store/invalidation/invalidations.ts';
import { enqueuePendingBriefs, enqueuePendingReports } from './pending/enqueue.ts';
import type { Job } from './worker/context.ts';

/** As many keys as one read takes; the dispatcher wakes what is marked beyond them. */
const WOKEN_AT_ONCE = 200;

/** Asks the filers of a quarter together and marks whatever their answers change. */
export const peers: Job<{ quarterEnd: QuarterEnd; version: number }> = async (context, { quarterEnd }) => {
  const { db, log } = context;
  const marked = await invalidationsIn(db).findOne({ _id: `peers|${quarterEnd}` });
  if (marked === null || !marked.pending) return;
  const version = Number(marked.version);
  const refreshed = await refreshPeers(db, quarterEnd, version);
  // The mark stays: the dispatcher brings it back.
  if (refreshed.kind === 'moved_on') return;
  await settleInvalidation(db, 'peers', quarterEnd, version);
  if (refreshed.kind === 'unchanged') return;
  const { reports, tickers } = refreshed;
  log.info({ quarterEnd, reports: reports.length }, 'peers changed');
  await enqueuePendingReports(context, reports.slice(0, WOKEN_AT_ONCE));
  await enqueuePendingBriefs(context, tickers.slice(0, WOKEN_AT_ONCE));
};
