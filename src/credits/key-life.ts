import { UsageError } from '../errors.ts';
import { ensureKeyIndexes, findKey, type KeyMode, keysOf, markRevoked } from '../store/keys.ts';
import {
  ensureOrganizationIndexes,
  findOrganization,
  findOrganizationByName,
  organizationNamed,
  organizationsIn,
} from '../store/organizations.ts';
import { applyGrants, type CreditStore, checkAmount, grantTo } from './grant.ts';
import { addKey } from './key-mint.ts';
import { projectKey, revokeRecord } from './key-record.ts';
import { newOrgId } from './org-id.ts';
import { redisKeys } from './redis-keys.ts';

export type NewKey = {
  readonly orgName: string;
  /** Granted exactly, to the balance that the organisation already has. */
  readonly credits: number;
  readonly label: string;
  /** A test key calls the sandbox and spends nothing. */
  readonly mode?: KeyMode;
};

export type CreatedKey = {
  /** Shown once; nothing can show it again. */
  readonly key: string;
  readonly keyId: string;
  readonly orgId: string;
};

/** Makes a key in the organisation of that name, making the organisation when there is none. */
export async function createKey(
  store: CreditStore & { readonly pepper: string },
  wanted: NewKey,
): Promise<CreatedKey> {
  const orgName = wanted.orgName.trim();
  if (orgName === '' || orgName.length > 100) throw new UsageError('The organisation needs a name.');
  // Before anything is made: a refused command leaves no organisation behind.
  checkAmount(wanted.credits);
  await Promise.all([ensureOrganizationIndexes(store.db), ensureKeyIndexes(store.db)]);
  const createdAt = new Date().toISOString();
  const org = await organizationNamed(store.db, { _id: newOrgId(), name: orgName, epoch: 1, createdAt });
  const balance = await applyGrants(store, org);
  // The first grant opens the balance in Redis, so a new organisation gets one even of nothing.
  const isOpen = (await store.redis.exists(redisKeys(store.tag).org(org._id))) === 1;
  if (wanted.credits !== 0 || (!isOpen && balance === 0)) {
    await grantTo(store, org, { amount: wanted.credits, reason: 'key' });
  }
  const { label, mode = 'live' } = wanted;
  const record = await addKey(store, { orgId: org._id, label, mode });
  await projectKey(store.redis, redisKeys(store.tag), record.doc);
  return { key: record.key, keyId: record.doc._id, orgId: org._id };
}

export type ListedKey = {
  readonly keyId: string;
  readonly orgId: string;
  readonly orgName: string;
  readonly mode: KeyMode;
  readonly label: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
  readonly expiresAt: string | null;
};

/** All keys, or those of one organisation by name or id; the oldest first. */
export async function listKeys(store: Pick<CreditStore, 'db'>, org: string | null): Promise<ListedKey[]> {
  const only =
    org === null
      ? null
      : ((await findOrganizationByName(store.db, org)) ?? (await findOrganization(store.db, org)));
  if (org !== null && only === null) throw new UsageError(`There is no organisation ${JSON.stringify(org)}.`);
  const keys = await keysOf(store.db, only === null ? null : only._id);
  const orgs = await organizationsIn(store.db)
    .find({ _id: { $in: [...new Set(keys.map((key) => key.orgId))] } })
    .toArray();
  const names = new Map(orgs.map((doc) => [doc._id, doc.name]));
  return keys.map(({ _id, digest: _, ...rest }) => ({
    keyId: _id,
    orgName: names.get(rest.orgId) ?? '',
    ...rest,
  }));
}

/**
 * Revokes a key: Mongo first, then the record that every script reads, so that it is dead at once
 * in every process. Repeating it is safe. Throws UsageError for an unknown key id.
 */
export async function revokeKey(store: CreditStore, keyId: string): Promise<void> {
  const known = await findKey(store.db, keyId);
  if (known === null) throw new UsageError(`There is no key ${JSON.stringify(keyId)}.`);
  await markRevoked(store.db, keyId, new Date().toISOString());
  await revokeRecord(store.redis, redisKeys(store.tag), keyId);
}
