import { countHolders, type HoldersKey, saveHolders } from '../src/derive/search/holders.ts';
import type { QuarterEnd } from '../src/domain/ids.ts';
import { dirtyIn, markClean, markDirty } from '../src/store/invalidation/invalidations.ts';
import type { Job } from './worker/context.ts';

/** Counts the holders of a part's securities in a quarter anew, and has the part written again. */
export const holders: Job<{ part: string; quarterEnd: QuarterEnd; generation: number }> = async (
  { db },
  { part, quarterEnd },
) => {
  const key: HoldersKey = { part, quarterEnd };
  const marked = await dirtyIn(db).findOne({ _id: `holders|${part}|${quarterEnd}` });
  if (marked === null || !marked.pending) return;
  const rev = Number(marked.generation);
  await saveHolders(db, key, { held: await countHolders(db, key), rev });
  await markDirty(db, 'search', [part]);
  await markClean(db, 'holders', `${part}|${quarterEnd}`, rev);
};
