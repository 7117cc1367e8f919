import type { Db } from 'mongodb';
import { insertOrLose } from '../mongo/write.ts';

/** Numbers of the stream that no event will have: a fence after a restore (rule 13.1). Both ends belong to it. */
export type SeqGapDoc = { _id: number; to: number; at: string };

const gapsIn = (db: Db) => db.collection<SeqGapDoc>('seq_gaps');

/** In ascending order; there are as many as there were restores. */
export async function seqGaps(db: Db): Promise<{ from: number; to: number; at: string }[]> {
  const gaps = await gapsIn(db).find().sort({ _id: 1 }).toArray();
  return gaps.map(({ _id, to, at }) => ({ from: Number(_id), to: Number(to), at }));
}

/** The next event gets a higher number than this; 0 without a fence. */
export async function seqFloor(db: Db): Promise<number> {
  return (await seqGaps(db)).at(-1)?.to ?? 0;
}

/** False when a gap begins there already. */
export function noteGap(
  db: Db,
  { from, to, at }: { from: number; to: number; at: string },
): Promise<boolean> {
  return insertOrLose(gapsIn(db), { _id: from, to, at });
}
