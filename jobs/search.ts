import { dirtyIn, markClean } from '../src/store/dirty.ts';
import { entriesOfPart } from '../src/store/search-entries.ts';
import { publishPart } from '../src/store/search-index.ts';
import { requireAsOf } from '../src/store/settings.ts';
import type { Job } from './context.ts';

/** Writes a part of the index as it is now, unless a later generation is shown already. */
export const search: Job<{ part: string; generation: number }> = async ({ db }, { part }) => {
  const marked = await dirtyIn(db).findOne({ _id: `search|${part}` });
  if (marked === null || !marked.pending) return;
  const rev = Number(marked.generation);
  const asOf = await requireAsOf(db);
  await publishPart(db, part, { entries: await entriesOfPart(db, part, asOf), rev });
  await markClean(db, 'search', part, rev);
};
