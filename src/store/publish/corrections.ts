import type { Db } from 'mongodb';
import type { Correction } from '../../domain/brief/superseded.ts';
import type { Ticker } from '../../domain/ids.ts';
import { insertNew, JOURNALED } from '../mongo/write.ts';

/** A brief that replaced another one of its ticker although no filing changed. `_id` is its own id. */
export type CorrectionDoc = Correction & {
  _id: string;
  ticker: Ticker;
  /** The id of the brief that it replaced. */
  from: string;
  /** When it was built, ISO 8601 UTC. */
  at: string;
};

const correctionsIn = (db: Db) => db.collection<CorrectionDoc>('corrections');

/** A brief corrects once: the same one again changes nothing. */
export async function noteCorrection(db: Db, correction: CorrectionDoc): Promise<void> {
  await insertNew(correctionsIn(db), [correction], JOURNALED);
}

/** Takes back the correction of a brief that was not shown after all. */
export async function dropCorrection(db: Db, briefId: string): Promise<void> {
  await correctionsIn(db).deleteOne({ _id: briefId });
}

/** The newest first; of one ticker, or of all. */
export async function listCorrections(
  db: Db,
  ticker: Ticker | null,
  limit: number,
): Promise<CorrectionDoc[]> {
  return correctionsIn(db)
    .find(ticker === null ? {} : { ticker })
    .sort({ at: -1, _id: 1 })
    .limit(limit)
    .toArray();
}
