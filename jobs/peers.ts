import { refreshConsensus } from '../src/derive/peers/writer.ts';
import type { QuarterEnd } from '../src/domain/ids.ts';
import { dirtyIn, markClean } from '../src/store/invalidation/invalidations.ts';
import { wakeBriefs, wakeReports } from './pending/enqueue.ts';
import type { Job } from './worker/context.ts';

/** As many keys as one read takes; the driver wakes what is marked beyond them. */
const WOKEN_AT_ONCE = 200;

/** Asks the filers of a quarter together and marks whatever their answers change. */
export const consensus: Job<{ quarterEnd: QuarterEnd; generation: number }> = async (
  context,
  { quarterEnd },
) => {
  const { db, log } = context;
  const marked = await dirtyIn(db).findOne({ _id: `consensus|${quarterEnd}` });
  if (marked === null || !marked.pending) return;
  const generation = Number(marked.generation);
  const refreshed = await refreshConsensus(db, quarterEnd, generation);
  // The mark stays: the driver brings it back.
  if (refreshed.kind === 'moved_on') return;
  await markClean(db, 'consensus', quarterEnd, generation);
  if (refreshed.kind === 'unchanged') return;
  const { reports, tickers } = refreshed;
  log.info({ quarterEnd, reports: reports.length }, 'consensus changed');
  await wakeReports(context, reports.slice(0, WOKEN_AT_ONCE));
  await wakeBriefs(context, tickers.slice(0, WOKEN_AT_ONCE));
};
