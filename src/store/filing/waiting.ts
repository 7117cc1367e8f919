import type { Db, Filter } from 'mongodb';
import { LAST_LANE, type Lane } from '../../domain/filing/lane.ts';
import type { Accession } from '../../domain/ids.ts';
import { type FilingDoc, filingsIn } from './filings.ts';

/** What filings wait in: to be fetched, or parsed. */
export type WaitingState = 'discovered' | 'fetched';

/** Those of history that no stage has failed on, and that have no information table: these are short. */
export function waitingForUnit(state: WaitingState, now: Date): Filter<FilingDoc> {
  const nextAt = { $lte: now.toISOString() };
  return { state, lane: LAST_LANE, leg: { $ne: 'thirteen_f' }, tries: 0, nextAt };
}

/** Whether a filing is fetched and parsed together with others. */
export function isOfUnits({ lane, leg, tries }: Pick<FilingDoc, 'lane' | 'leg' | 'tries'>): boolean {
  return lane === LAST_LANE && leg !== 'thirteen_f' && Number(tries) === 0;
}

/** Whether any filing waits to be fetched or parsed, of one lane or of all. */
export async function hasWaiting(db: Db, lane?: Lane): Promise<boolean> {
  const where = {
    state: { $in: ['discovered', 'fetched'] },
    ...(lane === undefined ? {} : { lane }),
  } as const;
  return (await filingsIn(db).findOne(where, { projection: { _id: 1 } })) !== null;
}

/** Filings that may be claimed together now, of later filing dates first. */
export async function unitCandidates(
  db: Db,
  state: WaitingState,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<Accession[]> {
  const found = await filingsIn(db)
    .find(waitingForUnit(state, now), { projection: { _id: 1 } })
    .sort({ filedDate: -1 })
    .limit(limit)
    .toArray();
  return found.map(({ _id }) => _id);
}
