import type { Db } from 'mongodb';
import { fetches } from '../../queues/fetches.ts';
import { parses } from '../../queues/parses.ts';
import type { Accession } from '../../src/domain/ids.ts';
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

/** Enqueues a unit of each part: a part that waits or runs goes on by itself. */
export async function enqueueFilingUnits({ producer, now }: JobContext, state: UnitState): Promise<void> {
  const at = now().getTime();
  const parts = Array.from({ length: PARTS }, (_, part) => ({ part: String(part), at }));
  await producer.enqueueAll(SPECS[state], parts);
}
