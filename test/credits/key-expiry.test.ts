import { expect, test } from 'vitest';
import { cacheKey, recallRevocations, reconcileRevocations } from '../../src/credits/account/key-record.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { findKey, type KeyDoc, keysIn } from '../../src/store/account/keys.ts';
import { expireKey } from './expire-key.ts';
import { account, call, store, useWalletWorld, wallet, world } from './use-wallet-world.ts';

useWalletWorld();

const SOON = '2030-01-01T00:00:00.000Z';
const LATER = '2031-01-01T00:00:00.000Z';
const PAST = '2020-01-01T00:00:00.000Z';

test('a key works until its expiry and not longer', async () => {
  const who = await account(100);
  await project(await expire(who.keyId, SOON));
  expect((await wallet.charge(who, call(1))).kind).toBe('charged');
  await project(await expire(who.keyId, PAST));
  expect((await wallet.charge(who, call(1))).kind).toBe('unauthorized');
  expect((await wallet.open(who, call(1), false)).kind).toBe('unauthorized');
});

test('an expiry is never postponed, in MongoDB and in Redis', async () => {
  const who = await account(1);
  const early = await expire(who.keyId, SOON);
  expect((await expire(who.keyId, LATER)).expiresAt).toBe(SOON);
  await project(early);
  await project({ ...early, expiresAt: LATER });
  await project({ ...early, expiresAt: null });
  expect(await expiryOf(who.keyId)).toBe(String(Date.parse(SOON)));
});

test('of expiries set in parallel the earliest wins', async () => {
  const who = await account(1);
  const days = Array.from({ length: 8 }, (_, at) => `2030-01-0${8 - at}T00:00:00.000Z`);
  await Promise.all(days.map((at) => expire(who.keyId, at)));
  expect((await findKey(world.mongo.db, who.keyId))?.expiresAt).toBe(SOON);
});

test('revocations and expiries that Redis lost are copied again', async () => {
  const who = await account(1);
  await expire(who.keyId, SOON);
  expect(await expiryOf(who.keyId)).toBeNull();
  await reconcileRevocations(store());
  expect(await expiryOf(who.keyId)).toBe(String(Date.parse(SOON)));
});

test('a record that is no hash gives way to what MongoDB says, and no damaged key keeps an API from starting', async () => {
  const [ended, other] = [await account(1), await account(1)];
  await expire(ended.keyId, SOON);
  const nameOf = ({ keyId }: { readonly keyId: string }) => redisKeys(world.creditsTag).key(keyId);
  for (const who of [ended, other]) await world.credits.set(nameOf(who), 'damaged');
  const damaged = {
    digest: '',
    orgId: '',
    mode: 'live',
    label: '',
    createdAt: '',
    lastUsedAt: null,
  } as const;
  const dates = [PAST, null].map((revokedAt) => ({ revokedAt, expiresAt: null }));
  const docs = dates.map((date, at) => ({ _id: `no key ${at}`, ...damaged, ...date }));
  await keysIn(world.mongo.db).insertMany(docs);
  await reconcileRevocations(store());
  expect(await expiryOf(ended.keyId)).toBe(String(Date.parse(SOON)));
  await recallRevocations(store());
  expect(await world.credits.exists(nameOf(other))).toBe(0);
});

test.each(['nan', 'soon', '9e99'])(
  'an expiry that reads %s ends its key, and stands in no way of others',
  async (expiry) => {
    const [ended, other] = [await account(5), await account(5)];
    for (const { keyId } of [ended, other])
      await world.credits.hset(redisKeys(world.creditsTag).key(keyId), 'e', expiry);
    if (expiry !== '9e99') expect((await wallet.charge(other, call(1))).kind).toBe('unauthorized');
    await expire(ended.keyId, SOON);
    await reconcileRevocations(store());
    expect(await expiryOf(ended.keyId)).toBe(String(Date.parse(SOON)));
    await recallRevocations(store());
    expect((await findKey(world.mongo.db, other.keyId))?.revokedAt).not.toBeNull();
  },
);

test('an older copy of a key revives neither a revoked nor an expired key', async () => {
  const who = await account(5);
  const before = await findKey(world.mongo.db, who.keyId);
  if (before === null) throw new Error('the key is there');
  await project({ ...before, revokedAt: PAST, expiresAt: PAST });
  await project(before);
  expect((await wallet.charge(who, call(1))).kind).toBe('unauthorized');
  expect(await world.credits.hget(redisKeys(world.creditsTag).key(who.keyId), 'x')).toBe('1');
  expect(await expiryOf(who.keyId)).toBe(String(Date.parse(PAST)));
});

async function expire(keyId: string, at: string): Promise<KeyDoc> {
  const key = await expireKey(world.mongo.db, keyId, at);
  if (key === null) throw new Error('the key is there');
  return key;
}

async function project(key: KeyDoc): Promise<void> {
  await cacheKey(world.credits, redisKeys(world.creditsTag), key);
}

function expiryOf(keyId: string): Promise<string | null> {
  return world.credits.hget(redisKeys(world.creditsTag).key(keyId), 'e');
}
