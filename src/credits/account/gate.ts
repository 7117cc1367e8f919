import { findKey, type KeyDoc, type KeyMode, saveLastUsed } from '../../store/account/keys.ts';
import { findOrganization } from '../../store/account/organizations.ts';
import { applyGrants } from '../grant.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';
import type { Account, Call, ChargeResult, Credential, OpenResult, Wallet } from '../wallet.ts';
import { isSameSecret } from './key.ts';
import { cacheKey } from './key-record.ts';

/**
 * What a request presents: the key id, the digest of the whole key, and the mode that the key names.
 * The digest covers the mode, so a valid digest proves it.
 */
export type Presented = { readonly keyId: string; readonly digest: string; readonly mode: KeyMode };

/** An opened call with the credential that it is charged to. */
export type Opened = { readonly credential: Credential; readonly result: OpenResult };

type GateParts = {
  readonly store: CreditStore;
  readonly wallet: Wallet;
  readonly accounts: Accounts;
};

/**
 * Opens calls of keys that the process or Redis may not know. Looks the key up in MongoDB, copies its
 * record to Redis, has its balance admitted where Redis or the ledger lost something (rule 12.7), and
 * tries again.
 */
export function openGate({ store, wallet, accounts }: GateParts) {
  async function openAs(account: Account, { keyId, digest }: Presented, call: Call, claims: boolean) {
    const credential = { ...account, digest };
    const result = await wallet.open(credential, call, claims);
    // The next try is a look-up, which its address may have no more of.
    if (result.kind === 'unauthorized') accounts.forget(keyId);
    if (result.kind === 'open' || result.kind === 'replay') accounts.used(keyId);
    return { credential, result };
  }
  return {
    /**
     * Authenticates and opens a call; null for an unknown key. Rejects only when Redis or MongoDB does not
     * answer. The account is passed on, not read from memory again: a call beside this one may forget it.
     */
    async open(presented: Presented, call: Call, claims: boolean): Promise<Opened | null> {
      const known = accounts.known(presented) ?? (await accounts.find(presented))?.account;
      if (known === undefined) return null;
      const first = await openAs(known, presented, call, claims);
      if (!isStale(first.result)) return first;
      const found = await accounts.find(presented);
      if (found === null) {
        accounts.forget(presented.keyId);
        return null;
      }
      await cacheKey(store.redis, redisKeys(store.tag), found.record);
      if (first.result.kind === 'unknown_key') {
        // A Redis that lost the record may have lost the balance, too.
        const second = await openAs(found.account, presented, call, claims);
        if (!isStale(second.result)) return second;
      }
      await applyGrants(store, { _id: found.record.orgId, epoch: known.epoch });
      // The balance may have been rebuilt under another epoch.
      const rebuilt = await accounts.find(presented);
      return rebuilt === null ? null : openAs(rebuilt.account, presented, call, claims);
    },
  };
}

/** Redis lost the key's record or the balance, or has another one than this process knows. */
export function isStale({ kind }: { readonly kind: ChargeResult['kind'] | OpenResult['kind'] }): boolean {
  return ['unknown_key', 'not_opened', 'unconfirmed', 'fenced'].includes(kind);
}

const MAX_REMEMBERED = 50_000;

type Remembered = { readonly credential: Credential; usedAt: number; savedAt: number };

/** A key in MongoDB, and what a call with it is charged to. */
type Found = { readonly record: KeyDoc; readonly account: Account };

/** What a key is recognised by: the secret itself is in the digest. */
type Secret = { readonly keyId: string; readonly digest: string };

type Accounts = ReturnType<typeof rememberAccounts>;

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
