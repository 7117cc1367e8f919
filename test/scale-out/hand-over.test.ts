// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestOf } from '../../src/credits/account/key.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { openBalance } from '../../src/credits/ledger/open-balance.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { openWallet } from '../../src/credits/wallet.ts';
import { openCreditsRedis } from '../../src/redis.ts';
import { ensureAccountIndexes } from '../../src/store/mongo/indexes.ts';
import { call } from '../credits/use-wallet-world.ts';
import { exactBooks } from '../faults/credits/books.ts';
import { openWorld, type World } from '../world.ts';
import { openCluster, type TestCluster } from './redis-cluster.ts';

let world: World;
let cluster: TestCluster;
beforeAll(async () => {
  [world, cluster] = await Promise.all([openWorld(), openCluster()]);
  await ensureAccountIndexes(world.mongo.db);
}, 300_000);
afterAll(async () => {
  cluster?.close();
  await world?.close();
});

test('a master that was a replica meanwhile compares a balance that it lost a part of, although it never stopped', async () => {
  const tag = world.creditsTag;
  const redis = openCreditsRedis(cluster.url, tag);
  await redis.connect();
  const store = { ...world.store, redis };
  const keys = redisKeys(tag);
  const made = await createKey(store, { orgName: 'Customer', credits: 100, label: '' });
  const { keyId, orgId } = made;
  const who = { keyId, orgId, epoch: 1, digest: digestOf(made.key, store.pepper) };
  const charge = (epoch = 1) => openWallet(redis, keys).charge({ ...who, epoch }, call(1));

  expect((await charge()).kind).toBe('charged');
  const replicated = await redis.hgetall(keys.org(orgId));
  expect((await charge()).kind).toBe('charged');
  await drainLog(store);

  const done = (work: () => Promise<number>) =>
    expect.poll(() => work().catch(() => -1), { timeout: 60_000 }).not.toBe(-1);
  await cluster.handOver(tag);
  // As if the replica had not had the last charge.
  await done(() => redis.hset(keys.org(orgId), replicated));
  await cluster.handOver(tag);
  await done(() => redis.exists(keys.log));

  expect((await charge()).kind).toBe('unconfirmed');
  const epoch = await openBalance(store, { _id: orgId, epoch: 1 });
  expect(await charge(epoch)).toMatchObject({ kind: 'charged', balance: 97 });
  await exactBooks(store, orgId);
  redis.disconnect();
});
