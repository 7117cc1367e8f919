import type { Db } from 'mongodb';
import type { Cusip } from '../../domain/ids.ts';
import { findByIds, JOURNALED, noteOnce } from '../mongo/write.ts';

/** CUSIPs that are in some report: a ticker that is mapped to one of them later needs a brief. */
type HeldDoc = { _id: Cusip };

const heldIn = (db: Db) => db.collection<HeldDoc>('held_cusips');

const held = noteOnce<HeldDoc>(heldIn, JOURNALED);

export async function noteHeld(db: Db, cusips: readonly Cusip[]): Promise<void> {
  await held.note(
    db,
    cusips.map((_id) => ({ _id })),
  );
}

export async function heldAmong(db: Db, cusips: readonly Cusip[]): Promise<Cusip[]> {
  return (await findByIds(heldIn(db), cusips)).map(({ _id }) => _id);
}
