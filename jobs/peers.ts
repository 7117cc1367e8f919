import { refreshPeers } from '../src/derive/peers/writer.ts';
import { pendingVersion, settleInvalidation } from '../src/store/invalidation/pending.ts';
import { enqueuePendingBriefs, enqueuePendingReports } from './pending/enqueue.ts';
import type { Job } from './worker/context.ts';

/** As many keys as one read takes. The dispatcher enqueues the others. */
const ENQUEUED_AT_ONCE = 200;

/** Computes the peers of a quarter and invalidates what they change. */
export const peers: Job<'peers'> = async (context, { quarterEnd }) => {
  const { db, log, now } = context;
  const version = await pendingVersion(db, 'peers', quarterEnd);
  if (version === null) return;
  const refreshed = await refreshPeers(db, quarterEnd, { version, at: now().toISOString() });
  // Still pending: the dispatcher enqueues it again.
  if (refreshed.kind === 'moved_on') return;
  await settleInvalidation(db, 'peers', quarterEnd, version);
  if (refreshed.kind === 'unchanged') return;
  const { reports, tickers } = refreshed;
  log.info({ quarterEnd, reports: reports.length }, 'peers changed');
  await enqueuePendingReports(context, reports.slice(0, ENQUEUED_AT_ONCE));
  // Those reports touch the same tickers once more: the dispatcher enqueues the briefs then.
  if (reports.length > 0) return;
  await enqueuePendingBriefs(context, tickers.slice(0, ENQUEUED_AT_ONCE));
};
