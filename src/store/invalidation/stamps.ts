import type { Db } from 'mongodb';
import { LAST_LANE } from '../../domain/filing/lane.ts';
import { findByIds } from '../mongo/lists.ts';
import { raiseAll, raisedFields } from './invalidate.ts';
import { type InvalidationKind, invalidationsIn } from './invalidation.ts';

/**
 * Raises keys that are never pending themselves: who keeps a result for each compares its stamp. Call it when
 * {@link invalidate} would be called.
 */
export async function raiseStamps(db: Db, kind: InvalidationKind, wanted: Iterable<string>): Promise<void> {
  const fields = raisedFields({ lane: LAST_LANE, pending: false, unmoved: false });
  await raiseAll(db, { kind, fields }, wanted);
}

/**
 * Gives briefs another stamp and leaves their versions: all that they say stays, and lists of their holders in
 * older quarters are read again (rule 13.7). Call it when `invalidateBriefs` would be called.
 */
export async function restampBriefs(db: Db, tickers: Iterable<string>): Promise<void> {
  await raiseAll(db, { kind: 'brief', fields: {} }, tickers);
}

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
