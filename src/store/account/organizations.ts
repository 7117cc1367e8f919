import { type Collection, type Db, MongoServerError } from 'mongodb';

/** A paying customer. Credits are held here, keys only spend them. */
export type OrganizationDoc = {
  /** Random, `[a-z0-9]{12}`: part of Redis keys. */
  _id: string;
  name: string;
  /** Raised when the balance in Redis is rebuilt, so that writers of before are fenced off. */
  epoch: number;
  createdAt: string;
};

export function organizationsIn(db: Db): Collection<OrganizationDoc> {
  return db.collection<OrganizationDoc>('organizations');
}

/** One organisation per name. Safe to repeat. */
export async function ensureOrganizationIndexes(db: Db): Promise<void> {
  await organizationsIn(db).createIndex({ name: 1 }, { unique: true });
}

export async function findOrganization(db: Db, id: string): Promise<OrganizationDoc | null> {
  return organizationsIn(db).findOne({ _id: id });
}

export async function findOrganizationByName(db: Db, name: string): Promise<OrganizationDoc | null> {
  return organizationsIn(db).findOne({ name });
}

/** Adds an organisation; false when its name is taken. */
export async function insertOrganization(db: Db, fresh: OrganizationDoc): Promise<boolean> {
  try {
    await organizationsIn(db).insertOne(fresh);
    return true;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === 11000) return false;
    throw error;
  }
}

/** The organisation of that name, made from `fresh` when there is none. Two at once make one. */
export async function organizationNamed(db: Db, fresh: OrganizationDoc): Promise<OrganizationDoc> {
  const known = await findOrganizationByName(db, fresh.name);
  if (known !== null) return known;
  return (await insertOrganization(db, fresh)) ? fresh : organizationNamed(db, fresh);
}
