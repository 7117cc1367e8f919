import { backfill, bulk, reconcile, reference } from '../../queues/discover.ts';
import { fetch, parse } from '../../queues/filings.ts';
import { LANES, LAST_LANE, type Lane } from '../../src/domain/filing/lane.ts';
import {
  type FilingDoc,
  filingsIn,
  hasWaiting,
  isOfUnits,
  type WaitingState,
} from '../../src/store/filing/filings.ts';
import { backfillState } from '../../src/store/filing/index-days.ts';
import { isImported, REFERENCE_RUN, requireAsOf } from '../../src/store/filing/settings.ts';
import type { JobContext } from '../worker/context.ts';
import { MAX_ENQUEUED } from './enqueue.ts';
import { enqueueFilingUnits } from './units.ts';

/**
 * Enqueues filings whose stage is due: live before reconcile before backfill, and of a lane the newest
 * first. A job that is still enqueued stays one job.
 */
export async function enqueuePendingFilings(context: JobContext): Promise<void> {
  for (const lane of (await hasWaiting(context.db)) ? LANES : []) {
    await feed(context, { spec: fetch, state: 'discovered', lane });
    await feed(context, { spec: parse, state: 'fetched', lane });
  }
  await feed(context, { spec: fetch, state: null, lane: LAST_LANE });
}

type Stage = {
  readonly spec: typeof fetch | typeof parse;
  /** Null for imports whose documents are wanted. */
  readonly state: WaitingState | null;
  readonly lane: Lane;
};

/** What says whether a filing is parsed together with others. */
const OF_UNITS = { lane: 1, leg: 1, tries: 1 } as const;

async function feed(context: JobContext, { spec, state, lane }: Stage): Promise<void> {
  const { db, producer, now } = context;
  // A job for each part at most: no full queue of single filings holds them up.
  if (lane === LAST_LANE && state !== null) await enqueueFilingUnits(context, state);
  const isFull = async () => (await producer.load([spec === fetch ? 'fetch' : 'parse'])) >= MAX_ENQUEUED;
  // A full queue holds up history, and never what is live.
  if (lane !== 'live' && (await isFull())) return;
  // All of history is parsed and of the last lane: a read by state and lane would read all imports.
  const where = state === null ? { documentWanted: true as const } : { state, lane };
  const projection = { filedDate: 1, fence: 1, ...OF_UNITS };
  const due = await filingsIn(db)
    .find({ ...where, nextAt: { $lte: now().toISOString() } }, { projection })
    .sort({ filedDate: -1 })
    .limit(MAX_ENQUEUED)
    .toArray();
  const isUnit = (filing: FilingDoc): boolean => state !== null && isOfUnits(filing);
  await producer.enqueueAll(
    spec,
    // The fence is part of the job's id: a job that failed for good would swallow its own id.
    due
      .filter((filing) => !isUnit(filing))
      .map(({ _id, filedDate, fence }) => ({ accession: _id, filedDate, lane, run: Number(fence) })),
  );
}

/**
 * Enqueues again what finds out which filings there are, where a lost queue or a turned as-of date
 * left it undone. A day whose reading failed for good keeps its job's id and waits for the next
 * scheduled backfill; one whose job is gone is read at once.
 */
export async function enqueuePendingDiscovery(
  { db, producer, config }: JobContext,
  slot: number,
): Promise<void> {
  if ((await producer.load(['reference'])) === 0 && !(await isImported(db, REFERENCE_RUN))) {
    await producer.enqueue(reference, { slot });
  }
  if ((await producer.load(['backfill', 'reconcile'])) > 0) return;
  const state = await backfillState(db);
  // A day that was set and not the clock's: the clock's next day has its own scheduled backfill.
  if (state === null || (config.asOf !== undefined && state.through !== (await requireAsOf(db)))) {
    await producer.enqueue(backfill, { slot });
    return;
  }
  if (state.held.length > 0 && (await producer.load(['bulk'])) === 0) {
    await producer.enqueue(bulk, { slot: state.slot });
  }
  const jobs = state.left.map((date) => ({ date, run: state.slot }));
  await producer.enqueueAll(reconcile, jobs);
}
