import type { Db } from 'mongodb';
import { findByIds } from '../mongo/lists.ts';
import { type InvalidationKind, invalidationsIn } from './invalidations.ts';

/** What changes with each invalidation of a key, pending or not; keys never invalidated are left out. */
export async function knownStamps(
  db: Db,
  kind: InvalidationKind,
  wanted: readonly string[],
): Promise<Map<string, string>> {
  const ids = wanted.map((key) => `${kind}|${key}`);
  const docs = await findByIds(invalidationsIn(db), ids, { key: 1, version: 1, stamp: 1 });
  return new Map(docs.map(({ key, version, stamp }) => [key, `${version}|${stamp}`]));
}
