import type { KeyMode } from '../../store/account/keys.ts';
import { applyGrants } from '../grant.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';
import type { Call, ChargeResult, Credential, OpenResult, Wallet } from '../wallet.ts';
import { cacheKey } from './key-record.ts';
import type { Accounts } from './remembered.ts';

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
 * tries once more.
 */
export function openGate({ store, wallet, accounts }: GateParts) {
  async function openKnown(presented: Presented, call: Call, claims: boolean): Promise<Opened | null> {
    const { keyId, digest } = presented;
    const account = accounts.known(presented);
    if (account === null) return null;
    const credential = { ...account, digest };
    const result = await wallet.open(credential, call, claims);
    // The next try is a look-up, which its address may have no more of.
    if (result.kind === 'unauthorized') accounts.forget(keyId);
    if (result.kind === 'open' || result.kind === 'replay') accounts.used(keyId);
    return { credential, result };
  }
  return {
    /** Authenticates and opens a call; null for an unknown key. Rejects only when Redis or MongoDB does not answer. */
    async open(presented: Presented, call: Call, claims: boolean): Promise<Opened | null> {
      if (accounts.known(presented) === null && (await accounts.find(presented)) === null) return null;
      const first = await openKnown(presented, call, claims);
      if (first === null || !isStale(first.result)) return first;
      accounts.forget(presented.keyId);
      const record = await accounts.find(presented);
      if (record === null) return null;
      await cacheKey(store.redis, redisKeys(store.tag), record);
      if (first.result.kind !== 'unknown_key') {
        await applyGrants(store, { _id: record.orgId, epoch: first.credential.epoch });
        // The balance may have been rebuilt under another epoch.
        accounts.forget(presented.keyId);
        await accounts.find(presented);
      }
      return openKnown(presented, call, claims);
    },
  };
}

/** Redis lost the key's record or the balance, or has another one than this process knows. */
export function isStale({ kind }: { readonly kind: ChargeResult['kind'] | OpenResult['kind'] }): boolean {
  return ['unknown_key', 'not_opened', 'unconfirmed', 'fenced'].includes(kind);
}
