import type { Db } from 'mongodb';
import { findKey, type KeyDoc, saveLastUsed } from '../../store/account/keys.ts';
import { findOrganization } from '../../store/account/organizations.ts';
import type { Account } from '../wallet.ts';

const MAX_REMEMBERED = 50_000;

type Remembered = { readonly account: Account; usedAt: number; savedAt: number };

/**
 * Which organisation a key id belongs to, and its epoch, remembered in the process: neither changes
 * but by a rebuild, which the scripts notice (`fenced`). Whether the key is valid is never
 * remembered: the scripts check that on each call.
 */
export type Accounts = {
  /** From memory; null when the key id was not looked up yet. */
  readonly known: (keyId: string) => Account | null;
  /** From Mongo; null when there is no such key. */
  readonly find: (keyId: string) => Promise<{ account: Account; record: KeyDoc } | null>;
  readonly forget: (keyId: string) => void;
  /** Notes that the key was used and authentic; saved in the background. */
  readonly used: (keyId: string) => void;
  readonly saveUse: () => Promise<void>;
};

export function rememberAccounts(db: Db): Accounts {
  const remembered = new Map<string, Remembered>();
  return {
    known: (keyId) => remembered.get(keyId)?.account ?? null,
    async find(keyId) {
      const record = await findKey(db, keyId);
      const org = record === null ? null : await findOrganization(db, record.orgId);
      if (record === null || org === null) return null;
      const account = { keyId, orgId: org._id, epoch: org.epoch };
      remember(remembered, { account, usedAt: 0, savedAt: 0 });
      return { account, record };
    },
    forget: (keyId) => {
      remembered.delete(keyId);
    },
    used(keyId) {
      const entry = remembered.get(keyId);
      if (entry !== undefined) entry.usedAt = Date.now();
    },
    async saveUse() {
      const fresh = [...remembered.values()].filter((entry) => entry.usedAt > entry.savedAt);
      for (const entry of fresh) entry.savedAt = entry.usedAt;
      const times = fresh.map(
        (entry) => [entry.account.keyId, new Date(entry.usedAt).toISOString()] as const,
      );
      await saveLastUsed(db, new Map(times));
    },
  };
}

/** Forgets the key that was looked up longest ago when there are too many. */
function remember(remembered: Map<string, Remembered>, entry: Remembered): void {
  const oldest = remembered.keys().next();
  if (remembered.size >= MAX_REMEMBERED && !oldest.done) remembered.delete(oldest.value);
  remembered.set(entry.account.keyId, entry);
}
