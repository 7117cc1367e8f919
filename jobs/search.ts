import { entriesOfPart } from '../src/derive/search/entries.ts';
import { requireAsOf } from '../src/store/filing/settings.ts';
import { invalidationsIn, settleInvalidation } from '../src/store/invalidation/invalidations.ts';
import { publishPart } from '../src/store/publish/search-index.ts';
import type { Job } from './worker/context.ts';

/** Writes a part of the index as it is now, unless a later generation is shown already. */
export const search: Job<{ part: string; generation: number }> = async ({ db }, { part }) => {
  const marked = await invalidationsIn(db).findOne({ _id: `search|${part}` });
  if (marked === null || !marked.pending) return;
  const rev = Number(marked.generation);
  const asOf = await requireAsOf(db);
  await publishPart(db, part, { entries: await entriesOfPart(db, part, asOf), rev });
  await settleInvalidation(db, 'search', part, rev);
};
