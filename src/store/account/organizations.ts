import { randomInt } from 'node:crypto';
import type { Db } from 'mongodb';
import { ensureAccountIndexes } from '../mongo/indexes.ts';
import { insertOrLose } from '../mongo/write.ts';

/** A paying customer. It holds the credits; its keys only spend them. */
export type OrganizationDoc = {
  /** Random, `[a-z0-9]{12}`: part of Redis keys. */
  _id: string;
  name: string;
  /** Raised when the balance in Redis is rebuilt, so that earlier writers are fenced off. */
  epoch: number;
  createdAt: string;
  /** Digest of the code that opens the account when its keys are lost; absent when none was made. */
  recovery?: RecoveryDoc;
};

type CodeDoc = { readonly digest: string; readonly madeAt: string };

/** `next`: made without the present code, it takes its place at a time. */
export type RecoveryDoc = CodeDoc & { readonly next?: CodeDoc & { readonly from: string } };

export const organizationsIn = (db: Db) => db.collection<OrganizationDoc>('organizations');

/** Whether a text could be an organisation's id. Such a text is not allowed as a name. */
export function looksLikeOrgId(text: string): boolean {
  return /^[a-z0-9]{12}$/.test(text);
}

export function newOrgId(): string {
  return Array.from({ length: 12 }, () => randomInt(36).toString(36)).join('');
}

export async function findOrganization(db: Db, id: string): Promise<OrganizationDoc | null> {
  return organizationsIn(db).findOne({ _id: id });
}

export async function findOrganizationByName(db: Db, name: string): Promise<OrganizationDoc | null> {
  return organizationsIn(db).findOne({ name });
}

/** Raises the epoch of an organisation, of which an earlier one was read; one that is as high already stays. */
export async function raiseEpoch(
  db: Db,
  { _id, epoch: read }: Pick<OrganizationDoc, '_id' | 'epoch'>,
  epoch: number,
): Promise<void> {
  if (read >= epoch) return;
  await organizationsIn(db).updateOne({ _id, epoch: { $lt: epoch } }, { $set: { epoch } });
}

/** Adds an organisation; false when its name is taken. The index that says so goes with a database that is dropped. */
export async function insertOrganization(db: Db, fresh: OrganizationDoc): Promise<boolean> {
  await ensureAccountIndexes(db);
  return insertOrLose(organizationsIn(db), fresh);
}

/** The organisation of that name, made from `fresh` when there is none. Two at once make one. */
export async function organizationNamed(db: Db, fresh: OrganizationDoc): Promise<OrganizationDoc> {
  const known = await findOrganizationByName(db, fresh.name);
  if (known !== null) return known;
  return (await insertOrganization(db, fresh)) ? fresh : organizationNamed(db, fresh);
}

/** The ids of all organisations, some at a time. One that is made meanwhile may be missing. */
export async function* organizationIds(db: Db, atOnce: number): AsyncGenerator<string[]> {
  for (let last = ''; ; ) {
    const docs = await organizationsIn(db)
      .find({ _id: { $gt: last } }, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(atOnce)
      .toArray();
    if (docs.length === 0) return;
    yield docs.map(({ _id }) => _id);
    last = docs.at(-1)?._id ?? '';
  }
}

/** The organisation with a recovery code of this digest, the present one or the next. */
export async function findOrganizationByRecovery(db: Db, digest: string): Promise<OrganizationDoc | null> {
  const either = [{ 'recovery.digest': digest }, { 'recovery.next.digest': digest }];
  return organizationsIn(db).findOne({ $or: either });
}

/** Replaces the recovery code of an organisation. */
export async function saveRecovery(db: Db, orgId: string, recovery: RecoveryDoc): Promise<void> {
  await organizationsIn(db).updateOne({ _id: orgId }, { $set: { recovery } });
}
