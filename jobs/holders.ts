import {
  type CountedPart,
  countHolders,
  type HoldersKey,
  holdersId,
  holdersInputs,
  noteHoldersFollowed,
  saveHolders,
  uncounted,
} from '../src/derive/search/holders.ts';
import { invalidate } from '../src/store/invalidation/invalidate.ts';
import { settleInvalidations } from '../src/store/invalidation/pending.ts';
import { SECURITY_PARTS } from '../src/store/publish/search-index.ts';
import { duePending } from './pending/enqueue.ts';
import type { Job } from './worker/context.ts';

/**
 * Counts the holders of a quarter and has the parts of the search written again. One pass over the quarter
 * counts all parts that are pending, so that the jobs of the other parts end at once. Equal reports are not
 * counted again.
 */
export const holders: Job<'holders'> = async (context, { quarterEnd }) => {
  const { db, now } = context;
  const keys = SECURITY_PARTS.map((part): HoldersKey => ({ part, quarterEnd }));
  const due = await duePending(context, 'holders', {
    keys: keys.map(holdersId),
    results: 'search_holders',
  });
  const versions = new Map(due.map(({ key, version }) => [key, Number(version)]));
  if (versions.size === 0) return;
  const pending = keys.filter((key) => versions.has(holdersId(key)));
  const inputs = await holdersInputs(db, quarterEnd);
  const parts = (await uncounted(db, pending, inputs)).map(({ part }) => part);
  const counted = parts.length === 0 ? new Map() : await countHolders(db, inputs, parts);
  const at = now().toISOString();
  const saved = [...counted].map(([part, held]): CountedPart => {
    const key = { part, quarterEnd };
    return { ...key, held, version: versions.get(holdersId(key)) ?? 0, inputs: inputs.digest, at };
  });
  const changed = await saveHolders(db, saved);
  const written = changed.map(({ part }) => part);
  await invalidate(db, 'search', written);
  await noteHoldersFollowed(db, changed);
  await settleInvalidations(db, 'holders', versions);
};
