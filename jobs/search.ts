import { entriesOfPart } from '../src/derive/search/entries.ts';
import { requireAsOf } from '../src/store/filing/settings.ts';
import { invalidationsIn, settleInvalidation } from '../src/store/invalidation/invalidations.ts';
import { publishPart } from '../src/store/publish/search-index.ts';
import type { Job } from './worker/context.ts';

/** Writes a part of the index as it is now, unless a later version is shown already. */
export const search: Job<{ part: string; version: number }> = async ({ db }, { part }) => {
  const marked = await invalidationsIn(db).findOne({ _id: `search|${part}` });
  if (marked === null || !marked.pending) return;
  const version = Number(marked.version);
  const asOf = await requireAsOf(db);
  await publishPart(db, part, { entries: await entriesOfPart(db, part, asOf), version });
  await settleInvalidation(db, 'search', part, version);
};
