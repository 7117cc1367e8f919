import { removeKey } from '../../store/account/keys.ts';
import {
  findOrganizationByName,
  insertOrganization,
  looksLikeOrgId,
  newOrgId,
} from '../../store/account/organizations.ts';
import { checkAmount, grantTo } from '../grant.ts';
import { redisKeys } from '../redis-keys.ts';
import { holdsKey } from './key.ts';
import { type AddedKey, mintKey } from './key-mint.ts';
import type { KeyStore } from './key-record.ts';
import { makeRecovery } from './recovery.ts';

const MIN_NAME = 2;
const MAX_NAME = 100;

/**
 * The name as it is stored: in one Unicode form, trimmed, with single spaces. Null unless it has 2 to
 * 100 characters and a letter or digit. Null also when it has an invisible or direction-changing
 * character, looks like an organisation's id, or contains a key, which must not be stored.
 */
export function readOrgName(text: string): string | null {
  const name = text.normalize('NFC').replace(/\s+/gu, ' ').trim();
  const length = [...name].length;
  if (length < MIN_NAME || length > MAX_NAME) return null;
  if (holdsKey(name) || looksLikeOrgId(name)) return null;
  return /[\p{L}\p{N}]/u.test(name) && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name) ? name : null;
}

type SignedUp =
  | { readonly kind: 'made'; readonly added: AddedKey; readonly recoveryCode: string }
  /** There is an organisation of that name; knowing the name is not enough to join it. */
  | { readonly kind: 'taken' };

/**
 * Makes an organisation with a new name, its first credits, its first key and its recovery code. The name is taken last.
 * After a failure before that, the name is still free, and a balance without a key is left over.
 */
export async function signUp(
  store: KeyStore,
  wanted: { readonly name: string; readonly credits: number },
): Promise<SignedUp> {
  checkAmount(wanted.credits);
  const createdAt = store.now().toISOString();
  const { code: recoveryCode, recovery } = makeRecovery(store);
  const org = { _id: newOrgId(), name: wanted.name, epoch: 1, createdAt, recovery };
  if ((await findOrganizationByName(store.db, org.name)) !== null) return { kind: 'taken' };
  // Also a grant of 0 credits: it opens the balance.
  await grantTo(store, org, { amount: wanted.credits, reason: 'sign-up', source: 'sign-up' });
  const minted = await mintKey(store, { orgId: org._id, label: 'First key', mode: 'live' });
  if (minted.kind === 'too_many') throw new RangeError('a new organisation has no keys');
  const { added } = minted;
  if (await insertOrganization(store.db, org)) return { kind: 'made', added, recoveryCode };
  // A concurrent sign-up took the name.
  await removeKey(store.db, added.doc._id);
  await store.redis.del(redisKeys(store.tag).key(added.doc._id));
  return { kind: 'taken' };
}
