import { countHolders, type HoldersKey, saveHolders } from '../src/derive/search/holders.ts';
import type { QuarterEnd } from '../src/domain/ids.ts';
import { invalidate, invalidationsIn, settleInvalidation } from '../src/store/invalidation/invalidations.ts';
import type { Job } from './worker/context.ts';

/** Counts the holders of a part's securities in a quarter anew, and has the part written again. */
export const holders: Job<{ part: string; quarterEnd: QuarterEnd; version: number }> = async (
  { db },
  { part, quarterEnd },
) => {
  const key: HoldersKey = { part, quarterEnd };
  const marked = await invalidationsIn(db).findOne({ _id: `holders|${part}|${quarterEnd}` });
  if (marked === null || !marked.pending) return;
  const version = Number(marked.version);
  await saveHolders(db, key, { held: await countHolders(db, key), version });
  await invalidate(db, 'search', [part]);
  await settleInvalidation(db, 'holders', `${part}|${quarterEnd}`, version);
};
