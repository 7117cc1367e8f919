import type { Db } from 'mongodb';
import { fetches } from '../../queues/fetches.ts';
import { parses } from '../../queues/parses.ts';
import { LAST_LANE } from '../../src/domain/filing/lane.ts';
import type { Accession } from '../../src/domain/ids.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { type UnitState, unitCandidates } from '../../src/store/filing/unit-claims.ts';
import type { JobContext } from '../worker/context.ts';

/** Parts of the filings of history, each with one job of a stage at a time: so many workers may share a stage. */
const PARTS = 4;

/** Filings of a unit: of fetching some seconds at EDGAR's rate, of parsing some tenths of a second of CPU. */
const MAX_FILINGS = { discovered: 16, fetched: 64 } as const;

/** The stage of filings that wait for it. */
const SPECS = { discovered: fetches, fetched: parses } as const;

/** The filings of history in a part that are handled together next. `isLast`: no other one was seen. */
export async function unitOfFilings(
  db: Db,
  state: UnitState,
  { part, now }: { readonly part: string; readonly now: Date },
) {
  const most = MAX_FILINGS[state];
  const listed = await unitCandidates(db, state, { now, limit: PARTS * most });
  const own = listed.filter((accession) => partOfFiling(accession) === part);
  return { unit: own.slice(0, most), isLast: own.length <= most && listed.length < PARTS * most };
}

function partOfFiling(accession: Accession): string {
  return String(Number(accession.slice(-6)) % PARTS);
}

/**
 * Whether filings of history wait for a stage, or are claimed by a unit, whether its worker lives or not. Ask the
 * queues first: what a job leaves waiting is then seen here. Failed filings that wait for a retry do not count; that
 * may take hours.
 */
export async function hasWaitingHistory({ db, now }: JobContext): Promise<boolean> {
  // In the order of their way: a filing that moves on meanwhile is met later. Not both conditions at once: for that the
  // embedded engine reads all filings that are stored.
  for (const state of ['discovered', 'fetched'] as const) {
    const isDue = { nextAt: { $lte: now().toISOString() } };
    for (const isWaiting of [isDue, { unit: { $exists: true } }]) {
      const where = { state, lane: LAST_LANE, ...isWaiting };
      if ((await filingsIn(db).findOne(where, { projection: { _id: 1 } })) !== null) return true;
    }
  }
  return false;
}

/** Whether filings of history are fetched and parsed, or wait for it. */
export async function isReadingHistory(context: JobContext): Promise<boolean> {
  return (await context.producer.load(['fetches', 'parses'])) > 0 || hasWaitingHistory(context);
}

/**
 * Enqueues a unit of each part that has filings of history to begin with; then it goes on by itself. Only the
 * dispatcher does, so that the filings of many days of an index are gathered, and a unit is seldom of one.
 */
export async function enqueueFilingUnits({ db, producer, now }: JobContext, state: UnitState): Promise<void> {
  const listed = await unitCandidates(db, state, { now: now(), limit: PARTS * MAX_FILINGS[state] });
  const parts = new Set(listed.map(partOfFiling));
  const at = now().getTime();
  await producer.enqueueAll(
    SPECS[state],
    [...parts].sort().map((part) => ({ part, at })),
  );
}
