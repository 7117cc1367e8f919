import type { Db } from 'mongodb';
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
  const last = await grantsIn(db).find(allOf(grant.orgId)).sort({ _id: -1 }).limit(1).next();
  const { orgId, source } = grant;
  const given = source === undefined ? null : await grantsIn(db).findOne({ ...allOf(orgId), source });
  if (given !== null) return given;
  const g = (last?.g ?? 0) + 1;
  const doc = { _id: grantId(grant.orgId, g), g, ...grant };
  return (await insertOrLose(grantsIn(db), doc)) ? doc : appendGrant(db, grant);
}

function allOf(orgId: string) {
  return { _id: { $gte: `${orgId}|`, $lt: `${orgId}}` } };
}

function grantId(orgId: string, g: number): string {
  return `${orgId}|${String(g).padStart(9, '0')}`;
}
