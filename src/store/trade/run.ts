import type { Db } from 'mongodb';
import type { Cik } from '../../domain/ids.ts';
import { isDuplicate, JOURNALED } from '../mongo/write.ts';

/**
 * The runs that write an issuer's rows. Their version stands here and not in each row, so that a run
 * writes no row that did not change.
 */
type TradeRunsDoc = {
  _id: Cik;
  /** The latest version that began to write. */
  version: number;
  /** Versions that began and have not ended: a dead or slow run may still write rows. */
  open: number[];
};

export const tradeRunsIn = (db: Db) => db.collection<TradeRunsDoc>('trade_runs');

/**
 * Begins a run. `refused`: a later version has begun. `contested`: another run has not ended, so every
 * row must get the version of this one before it is compared.
 */
export async function beginRun(db: Db, issuerCik: Cik, version: number) {
  try {
    return await begin(db, issuerCik, version, true);
  } catch (error) {
    // Now the id is taken, by a later version or by one that began at the same moment.
    if (isDuplicate(error)) return begin(db, issuerCik, version, false);
    throw error;
  }
}

async function begin(db: Db, _id: Cik, version: number, upsert: boolean) {
  const before = await tradeRunsIn(db).findOneAndUpdate(
    { _id, version: { $lte: version } },
    { $set: { version }, $addToSet: { open: version } },
    { upsert, returnDocument: 'before', writeConcern: JOURNALED },
  );
  if (before === null) return upsert ? 'alone' : 'refused';
  return before.open.length === 0 ? 'alone' : 'contested';
}

/** Ends the run and those before it, whose late writes it has refused. */
export async function endRun(db: Db, issuerCik: Cik, version: number): Promise<void> {
  await tradeRunsIn(db).updateOne({ _id: issuerCik }, { $pull: { open: { $lte: version } } });
}
