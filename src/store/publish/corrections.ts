import type { Db } from 'mongodb';
import type { Ticker } from '../../domain/ids.ts';
import { type BriefDoc, briefsIn, type Corrected } from './kept-briefs.ts';

/** A brief that replaced another one of its ticker although no filing changed. `_id` is its own id. */
type CorrectionRow = Corrected & Pick<BriefDoc, '_id' | 'ticker'>;

/** A stored brief corrects once: another one again changes nothing. */
export async function noteCorrection(db: Db, _id: string, corrects: Corrected): Promise<void> {
  await briefsIn(db).updateOne({ _id, corrects: { $exists: false } }, { $set: { corrects } });
}

/** Takes back the correction of a brief that was not shown after all. */
export async function dropCorrection(db: Db, _id: string): Promise<void> {
  await briefsIn(db).updateOne({ _id }, { $unset: { corrects: '' } });
}

/** The newest first; of one ticker, or of all. */
export async function listCorrections(
  db: Db,
  ticker: Ticker | null,
  limit: number,
): Promise<CorrectionRow[]> {
  const docs = await briefsIn(db)
    .find(
      { 'corrects.at': { $gt: '' }, ...(ticker === null ? {} : { ticker }) },
      { projection: { ticker: 1, corrects: 1 } },
    )
    .sort({ 'corrects.at': -1, _id: 1 })
    .limit(limit)
    .toArray();
  return docs.flatMap(({ _id, ticker: own, corrects }) =>
    corrects === undefined ? [] : { _id, ticker: own, ...corrects },
  );
}
