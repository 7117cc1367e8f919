import {
  countHolders,
  type HoldersKey,
  noteHoldersFollowed,
  saveHolders,
} from '../src/derive/search/holders.ts';
import { invalidate, pendingVersion, settleInvalidation } from '../src/store/invalidation/invalidations.ts';
import { isDue } from './pending/enqueue.ts';
import type { Job } from './worker/context.ts';

/** Counts the holders of a part's securities in a quarter, and has the part written again. */
export const holders: Job<'holders'> = async (context, { part, quarterEnd }) => {
  const { db, now } = context;
  const key: HoldersKey = { part, quarterEnd };
  const id = `${part}|${quarterEnd}`;
  const version = await pendingVersion(db, 'holders', id);
  if (version === null || !(await isDue(context, 'search_holders', id))) return;
  const held = await countHolders(db, key);
  if (await saveHolders(db, key, { held, version, at: now().toISOString() })) {
    await invalidate(db, 'search', [part]);
    await noteHoldersFollowed(db, key, version);
  }
  await settleInvalidation(db, 'holders', id, version);
};
