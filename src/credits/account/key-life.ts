import { MisuseError, UsageError } from '../../errors.ts';
import { grantsAfter } from '../../store/account/grants.ts';
import {
  endOnce,
  findKey,
  isLive,
  type KeyMode,
  keysOf,
  markRevoked,
  removeKey,
  sinceOf,
} from '../../store/account/keys.ts';
import {
  findOrganization,
  findOrganizationByName,
  looksLikeOrgId,
  newOrgId,
  type OrganizationDoc,
  organizationNamed,
  organizationsIn,
} from '../../store/account/organizations.ts';
import { applyGrants, checkAmount, grantTo, requireOrganization } from '../grant.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';
import { type AddedKey, addKey, mintKey } from './key-mint.ts';
import { cacheKey, type KeyStore, revokeRecord } from './key-record.ts';

export type NewKey = {
  /** A name, or the id of an existing organisation. */
  readonly orgName: string;
  /** Added to the balance that the organisation already has. */
  readonly credits: number;
  readonly label: string;
  /** A test key calls the sandbox and spends nothing. */
  readonly mode?: KeyMode;
  /** Whether to join an organisation of that name which a visitor made. By its id it is always joined. */
  readonly join?: boolean;
};

export type CreatedKey = Awaited<ReturnType<typeof createKey>>;

/**
 * Makes a key in the organisation with that id, else with that name. Makes the organisation when there
 * is neither. Throws UsageError for an invalid name or amount, and for a name that a visitor took at
 * /connect, unless it is to be joined: anyone may have chosen the name of a customer.
 */
export async function createKey(store: KeyStore, wanted: NewKey) {
  const orgName = wanted.orgName.trim();
  if (orgName === '' || orgName.length > 100) throw new MisuseError('The organisation needs a name.');
  // Checked before anything is made, so a refused command leaves no organisation behind.
  checkAmount(wanted.credits);
  const createdAt = store.now().toISOString();
  const fresh = { _id: newOrgId(), name: orgName, epoch: 1, createdAt };
  const org = await organizationFor(store, fresh);
  const isNewOrg = org._id === fresh._id;
  if (!isNewOrg && org._id !== orgName && wanted.join !== true && (await isVisitors(store, org))) {
    throw new UsageError(
      `A visitor made the organisation ${JSON.stringify(org.name)} (${org._id}) at /connect, and has its keys. To add to it, name it by its id or say --join.`,
    );
  }
  // Opens the balance, as a grant does.
  if (!isNewOrg || wanted.credits === 0) await applyGrants(store, org);
  if (wanted.credits !== 0) await grantTo(store, org, { amount: wanted.credits, reason: 'key' });
  const { label, mode = 'live' } = wanted;
  const record = await addKey(store, { orgId: org._id, label, mode });
  await cacheKey(store.redis, redisKeys(store.tag), record.doc);
  return {
    /** Shown once; it is not stored. */
    key: record.key,
    ...{ keyId: record.doc._id, orgId: org._id, orgName: org.name },
    /** False for an organisation that existed before: anyone may have made it. */
    isNewOrg,
  };
}

/** Whether it was made at /connect: its first grant says so. */
async function isVisitors({ db }: CreditStore, org: OrganizationDoc): Promise<boolean> {
  const [first] = await grantsAfter(db, org._id, 0);
  return first?.source === 'sign-up';
}

async function organizationFor({ db }: CreditStore, fresh: OrganizationDoc): Promise<OrganizationDoc> {
  const known = await findOrganization(db, fresh.name);
  if (known !== null) return known;
  if (!looksLikeOrgId(fresh.name)) return organizationNamed(db, fresh);
  const named = await findOrganizationByName(db, fresh.name);
  if (named !== null) return named;
  throw new UsageError(`There is no organisation ${fresh.name}. A new one cannot have a name like an id.`);
}

/** All keys, or those of one organisation by id or name; oldest first. */
export async function listKeys(store: Pick<CreditStore, 'db'>, org: string | null) {
  const only = org === null ? null : (await requireOrganization(store, org))._id;
  const keys = await keysOf(store.db, only);
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
 * Revokes a key: MongoDB first, then the record that every script reads, so it ends at once in every
 * process. Safe to repeat. Throws UsageError for an unknown key id.
 */
export async function revokeKey(store: CreditStore, keyId: string): Promise<void> {
  const isKnown = await markRevoked(store.db, keyId, store.now().toISOString());
  if (!isKnown) throw new UsageError(`There is no key ${JSON.stringify(keyId)}.`);
  await revokeRecord(store.redis, redisKeys(store.tag), keyId);
}

const HOUR_MS = 3_600_000;

/** How long the old key stays valid next to the new one. */
export const OVERLAPS = { now: 0, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const;

export type Overlap = keyof typeof OVERLAPS;

export type Rotated =
  | { readonly kind: 'rotated'; readonly added: AddedKey; readonly oldKeyEndsAt: string }
  /** Unknown, of another organisation, ended, or already being replaced. */
  | { readonly kind: 'not_rotatable' }
  | { readonly kind: 'too_many' };

/**
 * Replaces a key by a new one with the same label and mode. The new key is made first, so a crash in
 * between leaves two keys, never none. Of concurrent calls, the one that ends the old key returns its
 * new key; the others remove theirs.
 */
export async function rotateKey(
  store: KeyStore,
  { orgId, keyId }: { readonly orgId: string; readonly keyId: string },
  overlap: Overlap,
): Promise<Rotated> {
  const old = await findKey(store.db, keyId);
  const now = store.now().getTime();
  if (old === null || old.orgId !== orgId || !isLive(old, now) || old.expiresAt !== null) {
    return { kind: 'not_rotatable' };
  }
  const { label, mode, callsOnly, isRecovered } = old;
  const wanted = {
    ...{ orgId, label, mode, since: sinceOf(old) },
    ...(callsOnly === true ? { callsOnly } : {}),
    ...(isRecovered === true ? { isRecovered } : {}),
  };
  const minted = await mintKey(store, wanted, { replaced: overlap === 'now' ? keyId : null });
  if (minted.kind === 'too_many') return minted;
  const { added } = minted;
  const oldKeyEndsAt = new Date(now + OVERLAPS[overlap]).toISOString();
  const end = overlap === 'now' ? { revokedAt: oldKeyEndsAt } : { expiresAt: oldKeyEndsAt };
  const keys = redisKeys(store.tag);
  if (!(await endOnce(store.db, keyId, end))) {
    await removeKey(store.db, added.doc._id);
    await store.redis.del(keys.key(added.doc._id));
    return { kind: 'not_rotatable' };
  }
  // MongoDB first, then the record that every script reads.
  await cacheKey(store.redis, keys, { ...old, ...end });
  return { kind: 'rotated', added, oldKeyEndsAt };
}
