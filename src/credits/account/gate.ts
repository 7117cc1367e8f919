import type { KeyMode } from '../../store/account/keys.ts';
import { applyGrants } from '../grant.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';
import type { Account, Call, ChargeResult, Credential, OpenResult, Wallet } from '../wallet.ts';
import type { Accounts } from './accounts.ts';
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

/** Opens calls of keys that the process or Redis may not know. */
export function openGate({ store, wallet, accounts }: GateParts) {
  async function openAs(account: Account, { keyId, digest }: Presented, call: Call, claims: boolean) {
    const credential = { ...account, digest };
    const result = await wallet.open(credential, call, claims);
    // The next try is a look-up, which its address may have no more of.
    if (result.kind === 'unauthorized') accounts.forget(keyId);
    if (result.kind === 'open' || result.kind === 'replay') accounts.used(keyId);
    return { credential, result };
  }

  /**
   * Copies the key's record from MongoDB to Redis, and has its balance admitted where Redis or the ledger lost
   * something (rule 12.7), perhaps under another epoch. Returns the account as it is then; null for an unknown key.
   */
  async function restore(presented: Presented, { epoch }: Account): Promise<Account | null> {
    const found = await accounts.find(presented);
    if (found === null) {
      accounts.forget(presented.keyId);
      return null;
    }
    await cacheKey(store.redis, redisKeys(store.tag), found.record);
    await applyGrants(store, { _id: found.record.orgId, epoch });
    return (await accounts.find(presented))?.account ?? null;
  }

  return {
    /**
     * Authenticates and opens a call; null for an unknown key. Rejects only when Redis or MongoDB does not
     * answer. The account is passed on, not read from memory again: a call beside this one may forget it.
     */
    async open(presented: Presented, call: Call, claims: boolean): Promise<Opened | null> {
      const known = accounts.known(presented) ?? (await accounts.find(presented))?.account;
      if (known === undefined) return null;
      const opened = await openAs(known, presented, call, claims);
      if (!isStale(opened.result)) return opened;
      const restored = await restore(presented, known);
      return restored === null ? null : openAs(restored, presented, call, claims);
    },
  };
}

/** Redis lost the key's record or the balance, or has another one than this process knows. */
export function isStale({ kind }: { readonly kind: ChargeResult['kind'] | OpenResult['kind'] }): boolean {
  return ['unknown_key', 'not_opened', 'unconfirmed', 'fenced'].includes(kind);
}
