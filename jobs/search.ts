import { searchPart } from '../src/derive/search/entries.ts';
import { requireAsOf } from '../src/store/filing/settings.ts';
import { pendingVersion, settleInvalidation } from '../src/store/invalidation/pending.ts';
import { publishPart } from '../src/store/publish/search-index.ts';
import { isDue } from './pending/enqueue.ts';
import type { Job } from './worker/context.ts';

/** Writes a part of the search index, unless a later version is shown. */
export const search: Job<'search'> = async (context, { part }) => {
  const { db, now } = context;
  const version = await pendingVersion(db, 'search', part);
  if (version === null || !(await isDue(context, 'search_parts', { key: part }))) return;
  const shown = await searchPart(db, part, await requireAsOf(db));
  await publishPart(db, part, { shown, version, at: now().toISOString() });
  await settleInvalidation(db, 'search', part, version);
};
