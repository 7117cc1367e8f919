import type { Db } from 'mongodb';
import { saveSetting, settingOf } from './settings.ts';

/** Numbers of the stream that no event will have: a fence after a restore (rule 13.1). Both ends belong to it. */
export type SeqGap = { readonly from: number; readonly to: number; readonly at: string };

const GAPS = 'seq_gaps';

/** In ascending order; there are as many as there were restores. */
export async function seqGaps(db: Db): Promise<SeqGap[]> {
  const gaps = (await settingOf<SeqGap[]>(db, GAPS)) ?? [];
  return gaps.map(({ from, to, at }) => ({ from: Number(from), to: Number(to), at }));
}

/** The next event gets a higher number than this; 0 without a fence. */
export async function seqFloor(db: Db): Promise<number> {
  return (await seqGaps(db)).at(-1)?.to ?? 0;
}

/** No event is numbered meanwhile: the caller has seen that no worker runs. */
export async function noteGap(db: Db, gap: SeqGap): Promise<void> {
  await saveSetting(db, GAPS, [...(await seqGaps(db)), gap]);
}
