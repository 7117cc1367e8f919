import type { Redis } from 'ioredis';
import type { KeyDoc, KeyMode } from '../../store/account/keys.ts';
import type { RedisKeys } from '../redis-keys.ts';
import type { Call, Credential, OpenResult, Refusal, Wallet } from '../wallet.ts';
import type { Accounts } from './accounts.ts';
import { cacheKey } from './key-record.ts';

/**
 * What a request shows for itself: the key id it names, the digest of the whole key, and what the key
 * says it is for. The digest covers that word, so a good digest makes it true.
 */
export type Presented = { readonly keyId: string; readonly digest: string; readonly mode: KeyMode };

/** An opened call with the credential that it is charged under. */
export type Opened = { readonly credential: Credential; readonly result: OpenResult };

export type Gate = {
  /** Authenticates and opens a call. Rejects only when Redis or Mongo does not answer. */
  readonly open: (presented: Presented, call: Call, claims: boolean) => Promise<Opened | null>;
};

export type GateParts = {
  readonly redis: Redis;
  readonly keys: RedisKeys;
  readonly wallet: Wallet;
  readonly accounts: Accounts;
};

/**
 * The way in for a key that the process or Redis may not know: looks the key up in Mongo, copies
 * its record into Redis when that has lost it, and asks again once. Null: no such key.
 */
export function openGate({ redis, keys, wallet, accounts }: GateParts): Gate {
  async function lookUp(keyId: string): Promise<KeyDoc | null> {
    accounts.forget(keyId);
    return (await accounts.find(keyId))?.record ?? null;
  }
  return {
    async open(presented, call, claims) {
      const { keyId, digest } = presented;
      if (accounts.known(keyId) === null && (await lookUp(keyId)) === null) return null;
      const first = await attempt();
      if (first === null || !isStale(first.result)) return first;
      const record = await lookUp(keyId);
      if (record === null) return null;
      await cacheKey(redis, keys, record);
      return attempt();

      async function attempt(): Promise<Opened | null> {
        const account = accounts.known(keyId);
        if (account === null) return null;
        const credential = { ...account, digest };
        const result = await wallet.open(credential, call, claims);
        if (result.kind === 'open' || result.kind === 'replay') accounts.used(keyId);
        return { credential, result };
      }
    },
  };
}

/** Redis lost the key's record, or the organisation's epoch moved on. */
function isStale(result: OpenResult | Refusal): boolean {
  return result.kind === 'unknown_key' || result.kind === 'fenced';
}
