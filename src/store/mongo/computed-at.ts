import type { Db } from 'mongodb';
import { findByIds } from './write.ts';

/** Collections of results that say when they were computed. */
export type Dated = 'peers' | 'current_briefs' | 'search_holders' | 'search_parts' | 'leaderboard';

/** When each result was computed last, as ISO 8601 UTC. Results that do not exist are left out. */
export async function computedAt(db: Db, name: Dated, ids: readonly string[]): Promise<Map<string, string>> {
  const docs = await findByIds(db.collection<{ _id: string; at: string }>(name), ids, { at: 1 });
  return new Map(docs.map(({ _id, at }) => [_id, at]));
}
