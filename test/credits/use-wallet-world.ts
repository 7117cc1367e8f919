import { afterAll, beforeAll } from 'vitest';
import { digestOf } from '../../src/credits/account/key.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import type { KeyStore } from '../../src/credits/account/key-record.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { type Call, type Credential, openWallet, type Wallet } from '../../src/credits/wallet.ts';
import { ensureAccountIndexes } from '../../src/store/mongo/indexes.ts';
import { openWorld, PEPPER, type World } from '../world.ts';

/** The world of the test file that runs, with a wallet in it. */
export let world: World;
export let wallet: Wallet;
let counter = 0;

/** Called once by a test file: opens its world before its tests. */
export function useWalletWorld(): void {
  beforeAll(async () => {
    world = await openWorld();
    await ensureAccountIndexes(world.mongo.db);
    wallet = openWallet(world.credits, redisKeys(world.creditsTag));
  });
  afterAll(() => world.close());
}

export const store = (): KeyStore => world.store;

export async function account(credits: number): Promise<Credential & { key: string; orgName: string }> {
  counter += 1;
  const orgName = `Wallet ${counter}`;
  const { key, keyId, orgId } = await createKey(store(), { orgName, credits, label: 'k' });
  return { key, keyId, orgId, orgName, epoch: 1, digest: digestOf(key, PEPPER) };
}

export function call(cost: number, rest: Partial<Call> = {}): Call {
  counter += 1;
  const attemptId = rest.attemptId ?? `a-${counter}`;
  return { cost, tool: 'test', attemptId, request: attemptId, fingerprint: '', ...rest };
}

export const balanceOf = async (orgId: string): Promise<number> =>
  Number(await world.credits.hget(redisKeys(world.creditsTag).org(orgId), 'bal'));
