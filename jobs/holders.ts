import { countHolders, type HoldersKey, saveHolders } from '../src/derive/search/holders.ts';
import { invalidate, pendingVersion, settleInvalidation } from '../src/store/invalidation/invalidations.ts';
import type { Job } from './worker/context.ts';

/** Counts the holders of a part's securities in a quarter, and has the part written again. */
export const holders: Job<'holders'> = async ({ db, now }, { part, quarterEnd }) => {
  const key: HoldersKey = { part, quarterEnd };
  const version = await pendingVersion(db, 'holders', `${part}|${quarterEnd}`);
  if (version === null) return;
  await saveHolders(db, key, { held: await countHolders(db, key), version, at: now().toISOString() });
  await invalidate(db, 'search', [part]);
  await settleInvalidation(db, 'holders', `${part}|${quarterEnd}`, version);
};
