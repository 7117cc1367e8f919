import { findKey, type KeyDoc, saveLastUsed } from '../../store/account/keys.ts';
import { findOrganization } from '../../store/account/organizations.ts';
import type { CreditStore } from '../store.ts';
import type { Account, Credential } from '../wallet.ts';
import { isSameSecret } from './key.ts';

const MAX_REMEMBERED = 50_000;

type Remembered = { readonly credential: Credential; usedAt: number; savedAt: number };

/** A key in MongoDB, and what a call with it is charged to. */
type Found = { readonly record: KeyDoc; readonly account: Account };

/** What a key is recognised by: the secret itself is in the digest. */
type Secret = { readonly keyId: string; readonly digest: string };

export type Accounts = ReturnType<typeof rememberAccounts>;

/**
 * The organisation of each key and its epoch, remembered in the process under the key's digest. Both change only by a
 * rebuild of the balance, which the scripts notice (`fenced`). Whether a key is valid is never
 * remembered: the scripts check that on each call.
 */
export function rememberAccounts({ db, now }: Pick<CreditStore, 'db' | 'now'>) {
  const remembered = new Map<string, Remembered>();
  return {
    /** From memory; null for a key that was not looked up yet. */
    known({ keyId, digest }: Secret): Credential | null {
      const credential = remembered.get(keyId)?.credential;
      return credential?.digest === digest ? credential : null;
    },
    /**
     * From MongoDB; null when there is no such key. An unknown id and a wrong secret cost the same one read,
     * so that the time of a refusal does not say which it was.
     */
    async find({ keyId, digest }: Secret): Promise<Found | null> {
      const record = await findKey(db, keyId);
      const isRight = isSameSecret(record?.digest ?? '', digest);
      if (record === null || !isRight) return null;
      const org = await findOrganization(db, record.orgId);
      if (org === null) return null;
      const account = { keyId, orgId: org._id, epoch: org.epoch };
      remember(remembered, { credential: { ...account, digest }, usedAt: 0, savedAt: 0 });
      return { record, account };
    },
    forget: (keyId: string) => remembered.delete(keyId),
    /** Notes that the key was used and authentic. `saveUse` writes it later. */
    used(keyId: string): void {
      const entry = remembered.get(keyId);
      if (entry !== undefined) entry.usedAt = now().getTime();
    },
    async saveUse(): Promise<void> {
      const fresh = [...remembered.values()].filter((entry) => entry.usedAt > entry.savedAt);
      for (const entry of fresh) entry.savedAt = entry.usedAt;
      const times = fresh.map(
        (entry) => [entry.credential.keyId, new Date(entry.usedAt).toISOString()] as const,
      );
      await saveLastUsed(db, new Map(times));
    },
  };
}

/** When there are too many, forgets the key that was looked up longest ago. */
function remember(remembered: Map<string, Remembered>, entry: Remembered): void {
  const oldest = remembered.keys().next();
  if (remembered.size >= MAX_REMEMBERED && !oldest.done) remembered.delete(oldest.value);
  remembered.set(entry.credential.keyId, entry);
}
