import { ensureKeyIndexes, removeKey } from '../../store/account/keys.ts';
import {
  ensureOrganizationIndexes,
  findOrganizationByName,
  insertOrganization,
} from '../../store/account/organizations.ts';
import { checkAmount, grantTo } from '../grant.ts';
import { redisKeys } from '../redis-keys.ts';
import { holdsKey } from './key.ts';
import { type AddedKey, type KeyStore, mintKey } from './key-mint.ts';
import { looksLikeOrgId, newOrgId } from './org-id.ts';

const MIN_NAME = 2;
const MAX_NAME = 100;

/**
 * The name as it is kept: in one Unicode form, with single spaces inside and none around. Null when it
 * is not 2 to 100 characters, has no letter or digit, has one that shows nothing or turns the text, could
 * be another organisation's id, or holds a key, which must be kept nowhere.
 */
export function readOrgName(text: string): string | null {
  const name = text.normalize('NFC').replace(/\s+/gu, ' ').trim();
  const length = [...name].length;
  if (length < MIN_NAME || length > MAX_NAME) return null;
  if (holdsKey(name) || looksLikeOrgId(name)) return null;
  return /[\p{L}\p{N}]/u.test(name) && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name) ? name : null;
}

export type SignedUp =
  | { readonly kind: 'made'; readonly added: AddedKey }
  /** There is an organisation of that name: nobody joins it by knowing its name. */
  | { readonly kind: 'taken' };

/**
 * Makes an organisation of a new name with its first credits, granted once, and its first key. The name
 * is taken last, by what is whole already: when something fails before, the name is free for another
 * try, and what is left is a balance that no key opens.
 */
export async function signUp(
  store: KeyStore,
  wanted: { readonly name: string; readonly credits: number },
): Promise<SignedUp> {
  checkAmount(wanted.credits);
  await Promise.all([ensureOrganizationIndexes(store.db), ensureKeyIndexes(store.db)]);
  const createdAt = new Date().toISOString();
  const org = { _id: newOrgId(), name: wanted.name, epoch: 1, createdAt };
  if ((await findOrganizationByName(store.db, org.name)) !== null) return { kind: 'taken' };
  // A grant of nothing, too: it opens the balance.
  await grantTo(store, org, { amount: wanted.credits, reason: 'sign-up', source: 'sign-up' });
  const minted = await mintKey(store, { orgId: org._id, label: 'First key', mode: 'live' });
  if (minted.kind === 'too_many') throw new RangeError('a new organisation has no keys');
  const { added } = minted;
  if (await insertOrganization(store.db, org)) return { kind: 'made', added };
  // Another one of that name was faster.
  await removeKey(store.db, added.doc._id);
  await store.redis.del(redisKeys(store.tag).key(added.doc._id));
  return { kind: 'taken' };
}
