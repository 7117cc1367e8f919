import { randomUUID } from 'node:crypto';
import type { Db, Document } from 'mongodb';
import { LAST_LANE, type Lane, lanesBefore } from '../../domain/filing/lane.ts';
import { batches } from '../../domain/group.ts';
import { AppError } from '../../errors.ts';
import { findByIds, MAX_LIST } from '../mongo/lists.ts';
import { noteOnce, UNJOURNALED } from '../mongo/write.ts';
import {
  type InvalidationDoc,
  type InvalidationKind,
  idOf,
  invalidationsIn,
  type Laned,
} from './invalidation.ts';

const keys = noteOnce<InvalidationDoc>(invalidationsIn, UNJOURNALED);

/** What changed. */
type Changed = {
  readonly lane?: Lane;
  /** Something besides positions, of a report besides its filings: the edition stays as it is. */
  readonly unmoved?: boolean;
};

/**
 * Call it after the changed inputs are written, and before the journaled write that notes it. That
 * write makes the invalidations durable too, because the journal is in order.
 */
export async function invalidate(
  db: Db,
  of: InvalidationKind | (Laned & Changed),
  wanted: Iterable<string>,
): Promise<void> {
  const { kind, ...changed } = typeof of === 'string' ? { kind: of, lane: LAST_LANE } : of;
  await raiseAll(db, { kind, fields: raisedFields(changed) }, wanted);
}

/**
 * The same for briefs that a change of a security touches. One with `onRead` is not pending then: no worker
 * builds it, and its version says to the next reader that it is outdated.
 */
export async function invalidateBriefs(
  db: Db,
  tickers: Iterable<string>,
  changed: Changed = {},
): Promise<void> {
  const pending = { $or: ['$pending', { $ne: ['$onRead', true] }] };
  await raiseAll(db, { kind: 'brief', fields: { ...raisedFields(changed), pending } }, tickers);
}

type Raise = {
  readonly kind: InvalidationKind;
  /** What is set beside a new stamp, as expressions: {@link raisedFields}, or nothing. */
  readonly fields: object;
  /** Further fields of a key, as expressions. */
  readonly also?: (key: string) => Document;
};

export async function raiseAll(db: Db, raised: Raise, wanted: Iterable<string>): Promise<void> {
  const { kind } = raised;
  // In one order everywhere: two processes that raise the same keys wait for each other and do not retry.
  for (const batch of batches([...new Set(wanted)].sort(), MAX_LIST)) {
    if (await raise(db, raised, batch)) continue;
    // A crash of the database lost keys that were inserted and not journaled yet: insert them again.
    const ids = batch.map((key) => idOf(kind, key));
    keys.forget(db, ids);
    if (await raise(db, raised, batch)) continue;
    const message = `invalidations of kind ${kind} were lost while they were written`;
    throw new AppError('invalidations_lost', message, { retry: true });
  }
}

async function noteKeys(db: Db, kind: InvalidationKind, batch: readonly string[]): Promise<void> {
  const docs = batch.map((key) => ({
    _id: idOf(kind, key),
    kind,
    key,
    version: 0,
    stamp: '',
    pending: false,
    at: null,
    lane: LAST_LANE,
  }));
  await keys.note(db, docs);
}

/** The next version of a key that is pending from now on. */
export function raisedFields({ lane = LAST_LANE, unmoved = false }: Changed): object {
  const isUrgent = { $and: ['$pending', { $in: ['$lane', lanesBefore(lane)] }] };
  return {
    version: { $add: ['$version', 1] },
    // A key that is pending keeps its place: it would never come up if each invalidation sent it to the back.
    at: { $cond: ['$pending', '$at', '$$NOW'] },
    pending: true,
    lane: { $cond: [isUrgent, '$lane', lane] },
    ...(unmoved ? { unmoved: { $add: [{ $ifNull: ['$unmoved', 0] }, 1] } } : {}),
  };
}

/**
 * False when not every key was there to be raised. One insert for new keys and one update for all
 * costs a tenth of an upsert for each.
 */
async function raise(db: Db, { kind, fields: raised, also }: Raise, batch: readonly string[]) {
  await noteKeys(db, kind, batch);
  const fields = { ...raised, stamp: randomUUID() };
  const { matchedCount } = await (also === undefined
    ? invalidationsIn(db).updateMany(
        { _id: { $in: batch.map((key) => idOf(kind, key)) } },
        [{ $set: fields }],
        { writeConcern: UNJOURNALED },
      )
    : invalidationsIn(db).bulkWrite(
        batch.map((key) => ({
          updateOne: { filter: { _id: idOf(kind, key) }, update: [{ $set: { ...fields, ...also(key) } }] },
        })),
        { writeConcern: UNJOURNALED },
      ));
  return Number(matchedCount) === batch.length;
}

/**
 * Gives keys another stamp and leaves their versions: who keeps a result for each compares its stamp. All that a
 * brief says stays, and lists of its holders in older quarters are read again (rule 13.7). Call it when
 * {@link invalidate} would be called.
 */
export async function raiseStamps(db: Db, kind: InvalidationKind, wanted: Iterable<string>): Promise<void> {
  await raiseAll(db, { kind, fields: {} }, wanted);
}

/** What changes with each invalidation of a key, pending or not; keys never invalidated are left out. */
export async function knownStamps(
  db: Db,
  kind: InvalidationKind,
  wanted: readonly string[],
): Promise<Map<string, string>> {
  const ids = wanted.map((key) => idOf(kind, key));
  const docs = await findByIds(invalidationsIn(db), ids, { key: 1, version: 1, stamp: 1 });
  return new Map(docs.map(({ key, version, stamp }) => [key, `${version}|${stamp}`]));
}
