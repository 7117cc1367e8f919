import { findKey, type KeyDoc, saveLastUsed } from '../../store/account/keys.ts';
import { findOrganization } from '../../store/account/organizations.ts';
import type { CreditStore } from '../store.ts';
import type { Account } from '../wallet.ts';

const MAX_REMEMBERED = 50_000;

type Remembered = { readonly account: Account; usedAt: number; savedAt: number };

export type Accounts = ReturnType<typeof rememberAccounts>;

/**
 * The organisation of each key id and its epoch, remembered in the process. Both change only by a
 * rebuild of the balance, which the scripts notice (`fenced`). Whether a key is valid is never
 * remembered: the scripts check that on each call.
 */
export function rememberAccounts({ db, now }: Pick<CreditStore, 'db' | 'now'>) {
  const remembered = new Map<string, Remembered>();
  return {
    /** From memory; null when the key id was not looked up yet. */
    known: (keyId: string): Account | null => remembered.get(keyId)?.account ?? null,
    /** From MongoDB; null when there is no such key. */
    async find(keyId: string): Promise<KeyDoc | null> {
      const record = await findKey(db, keyId);
      const org = record === null ? null : await findOrganization(db, record.orgId);
      if (record === null || org === null) return null;
      const account = { keyId, orgId: org._id, epoch: org.epoch };
      remember(remembered, { account, usedAt: 0, savedAt: 0 });
      return record;
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
        (entry) => [entry.account.keyId, new Date(entry.usedAt).toISOString()] as const,
      );
      await saveLastUsed(db, new Map(times));
    },
  };
}

/** When there are too many, forgets the key that was looked up longest ago. */
function remember(remembered: Map<string, Remembered>, entry: Remembered): void {
  const oldest = remembered.keys().next();
  if (remembered.size >= MAX_REMEMBERED && !oldest.done) remembered.delete(oldest.value);
  remembered.set(entry.account.keyId, entry);
}
