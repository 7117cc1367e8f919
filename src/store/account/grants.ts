import type { Db } from 'mongodb';
import { inLists } from '../mongo/lists.ts';
import { insertOrLose } from '../mongo/write.ts';

/** Credits given to an organisation. Numbered without gaps, so that Redis applies each once, in order. */
export type GrantDoc = {
  /** `<org>|<g, 9 digits>` */
  _id: string;
  orgId: string;
  /** 1, 2, 3… within the organisation. */
  g: number;
  amount: number;
  reason: string;
  /** What the grant is for, when it may be granted only once: `sign-up`, `voucher:<id>`. */
  source?: string;
  at: string;
  /** Until the ledger has it. */
  pending?: true;
  /** The row `open` whose difference contains it, when it has no row of its own (rule 12.7). */
  carriedBy?: string;
};

export const grantsIn = (db: Db) => db.collection<GrantDoc>('grants');

/** Grants of an organisation after number `g`, in order. Reads an `_id` range. */
export async function grantsAfter(db: Db, orgId: string, g: number): Promise<GrantDoc[]> {
  return grantsIn(db)
    .find({ _id: { $gt: grantId(orgId, g), $lt: `${orgId}}` } })
    .sort({ _id: 1 })
    .toArray();
}

/**
 * Appends a grant under the next number; a concurrent one takes the number after it. A `source` is
 * granted once: the earlier grant is returned. It is looked for after the last number was read, so
 * that a grant appended since holds the number that this one would take.
 */
export async function appendGrant(db: Db, grant: Omit<GrantDoc, '_id' | 'g'>): Promise<GrantDoc> {
  const last = await lastGrant(db, grant.orgId);
  const { orgId, source } = grant;
  const given = source === undefined ? null : await grantsIn(db).findOne({ ...allOf(orgId), source });
  if (given !== null) return given;
  const g = last + 1;
  const doc = { _id: grantId(grant.orgId, g), g, ...grant, pending: true as const };
  return (await insertOrLose(grantsIn(db), doc)) ? doc : appendGrant(db, grant);
}

/** Notes that the ledger has the grants up to number `g`. */
export async function settleGrants(db: Db, orgId: string, g: number): Promise<void> {
  const upTo = { _id: { $gte: `${orgId}|`, $lte: grantId(orgId, g) } };
  await grantsIn(db).updateMany({ ...upTo, pending: true }, { $unset: { pending: '' } });
}

/** Notes that a row `open` contains these grants, which have no row. The first such row stays. */
export async function noteCarriedGrants(
  db: Db,
  orgId: string,
  numbers: readonly number[],
  carriedBy: string,
): Promise<void> {
  for (const _id of inLists(numbers.map((g) => grantId(orgId, g)))) {
    await grantsIn(db).updateMany({ _id, carriedBy: { $exists: false } }, { $set: { carriedBy } });
  }
}

/** The number of the last grant that a row `open` contains; 0 for none. */
export async function lastCarriedGrant(db: Db, orgId: string): Promise<number> {
  const carried = { ...allOf(orgId), carriedBy: { $exists: true } };
  return (await grantsIn(db).find(carried).sort({ _id: -1 }).limit(1).next())?.g ?? 0;
}

/** The organisations with grants that the ledger does not have yet, at most `limit` grants of them. */
export async function orgsWithPendingGrants(db: Db, limit: number): Promise<string[]> {
  const pending = await grantsIn(db).find({ pending: true }).limit(limit).toArray();
  return [...new Set(pending.map(({ orgId }) => orgId))];
}

/** The number of the last grant of an organisation; 0 for none. */
export async function lastGrant(db: Db, orgId: string): Promise<number> {
  const last = await grantsIn(db).find(allOf(orgId)).sort({ _id: -1 }).limit(1).next();
  return last?.g ?? 0;
}

function allOf(orgId: string) {
  return { _id: { $gte: `${orgId}|`, $lt: `${orgId}}` } };
}

function grantId(orgId: string, g: number): string {
  return `${orgId}|${String(g).padStart(9, '0')}`;
}
