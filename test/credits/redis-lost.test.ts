import { once } from 'node:events';
import { cpSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestOf } from '../../src/credits/account/key.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { cacheKey, type KeyStore } from '../../src/credits/account/key-record.ts';
import { checkLedger } from '../../src/credits/ledger/check.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { currentBalance, openBalance } from '../../src/credits/ledger/open-balance.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { type Credential, openWallet } from '../../src/credits/wallet.ts';
import { openCreditsRedis } from '../../src/redis.ts';
import { findKey } from '../../src/store/account/keys.ts';
import { latestRows } from '../../src/store/account/ledger.ts';
import { ensureAccountIndexes } from '../../src/store/mongo/indexes.ts';
import { type OwnRedis, openOwnRedis } from '../faults/harness/own-redis.ts';
import { openWorld, type World } from '../world.ts';
import { call } from './use-wallet-world.ts';

const CAP = 200;

let world: World;
let own: OwnRedis;
let redis: Redis;
let store: KeyStore;

beforeAll(async () => {
  [world, own] = await Promise.all([openWorld(), openOwnRedis()]);
  await ensureAccountIndexes(world.mongo.db);
  redis = openCreditsRedis(own.url);
  await redis.connect();
  store = { ...world.store, redis };
});
afterAll(async () => {
  redis.disconnect();
  await own.close();
  await world.close();
});

const wallet = () => openWallet(redis, redisKeys(store.tag), { exposureCap: CAP });

async function newAccount(credits: number): Promise<Credential> {
  const orgName = `Lost ${Math.random()}`;
  const { key, keyId, orgId } = await createKey(store, { orgName, credits, label: '' });
  return { keyId, orgId, epoch: 1, digest: digestOf(key, store.pepper) };
}

/** Charges as the API does: a balance that is not admitted is opened, and the charge tried again. */
async function charge(who: Credential, cost: number): Promise<string> {
  const first = await wallet().charge(who, call(cost));
  if (first.kind === 'charged' || first.kind === 'lagging' || first.kind === 'insufficient')
    return first.kind;
  const record = await findKey(store.db, who.keyId);
  if (record !== null) await cacheKey(redis, redisKeys(store.tag), record);
  const epoch = await openBalance(store, { _id: who.orgId, epoch: who.epoch });
  return (await wallet().charge({ ...who, epoch }, call(cost))).kind;
}

async function charged(who: Credential, times: number, cost = 1): Promise<void> {
  for (let n = 0; n < times; n += 1) expect(await charge(who, cost)).toBe('charged');
}

async function killed(meanwhile: () => void = () => undefined): Promise<void> {
  await own.kill();
  meanwhile();
  await own.restart();
  await expect.poll(() => redis.ping().catch(() => '')).toBe('PONG');
}

async function expectClean(): Promise<void> {
  await drainLog(store);
  expect((await checkLedger(store, { whole: true })).problems).toEqual([]);
}

const balance = (who: Credential) => currentBalance(store, { _id: who.orgId, epoch: 1 });

test('a killed Redis comes back with every charge, and none is accepted before it was compared', async () => {
  const who = await newAccount(1_000);
  await charged(who, 5);
  await drainLog(store);
  await charged(who, 5);
  await killed();
  expect((await wallet().charge(who, call(1))).kind).toBe('unconfirmed');
  await charged(who, 1);
  expect(await balance(who)).toBe(989);
  expect(await openBalance(store, { _id: who.orgId, epoch: 1 })).toBe(2);
  await expectClean();
});

/** Cuts off the end of the append-only file, as a power loss does. */
function cutOff(bytes: number): void {
  const folder = join(own.folder, 'appendonlydir');
  const file = readdirSync(folder).find((name) => name.endsWith('.incr.aof')) ?? '';
  const path = join(folder, file);
  truncateSync(path, Math.max(0, statSync(path).size - bytes));
}

test.each([1, 5, 40, 200, 500])(
  'an append-only file without its last %d KB loses at most what was at risk',
  async (kilobytes) => {
    const who = await newAccount(5_000);
    let spent = 0;
    // Half of what is cut off is in the ledger.
    for (const isDrained of [true, false]) {
      for (let n = 0; n < Math.min(kilobytes, 60); n += 1)
        if ((await charge(who, 7)) === 'charged') spent += 7;
      if (isDrained) await drainLog(store);
    }
    await killed(() => cutOff(kilobytes * 1_024));
    await charged(who, 1, 7);
    spent += 7;
    const now = await balance(who);
    expect(now).toBeGreaterThanOrEqual(5_000 - spent);
    expect(now - (5_000 - spent)).toBeLessThanOrEqual(CAP);
    await expectClean();
  },
);

test('a Redis with nothing left has every balance of the ledger again', async () => {
  const [one, other] = [await newAccount(100), await newAccount(50)];
  await charged(one, 3, 10);
  await charged(other, 2, 10);
  await drainLog(store);
  await killed(() => rmSync(join(own.folder, 'appendonlydir'), { recursive: true }));
  expect((await wallet().charge(one, call(1))).kind).toBe('unknown_key');
  expect(await Promise.all([balance(one), balance(other)])).toEqual([70, 30]);
  await charged(one, 1, 10);
  await charged(other, 3, 10);
  expect(await charge(other, 10)).toBe('insufficient');
  await expectClean();
});

test('a Redis restored from an older copy is not believed', async () => {
  const [busy, idle] = [await newAccount(100), await newAccount(100)];
  await charged(busy, 1, 10);
  await charged(idle, 1, 10);
  const [data, copy] = [join(own.folder, 'appendonlydir'), join(own.folder, 'copy')];
  // The file is written once a second at the latest.
  await sleep(1_100);
  await killed(() => cpSync(data, copy, { recursive: true }));
  await charged(busy, 4, 10);
  await drainLog(store);
  await killed(() => {
    rmSync(data, { recursive: true });
    cpSync(copy, data, { recursive: true });
  });
  expect((await wallet().charge(busy, call(1))).kind).toBe('unconfirmed');
  await charged(busy, 1, 10);
  await charged(idle, 1, 10);
  expect([await balance(busy), await balance(idle)]).toEqual([40, 80]);
  expect((await latestRows(store.db, busy.orgId, 2)).map(({ kind }) => kind)).toContain('open');
  await expectClean();
});

test('a command that waits while Redis restarts moves nothing in the next one', async () => {
  const who = await newAccount(100);
  await charged(who, 1, 10);
  await redis.client('PAUSE', 60_000, 'ALL');
  const waiting = wallet().charge(who, call(10));
  const settled = waiting.then(
    ({ kind }) => kind,
    () => 'rejected',
  );
  await killed();
  expect(['rejected', 'unconfirmed', 'unknown_key']).toContain(await settled);
  expect(await balance(who)).toBe(90);
  await expectClean();
});

test('in full memory a charge is refused before any write, and draining still frees memory', async () => {
  const who = await newAccount(100);
  await charged(who, 3, 10);
  await redis.config('SET', 'maxmemory', 1);
  await expect(wallet().charge(who, call(10))).rejects.toMatchObject({ code: 'redis_refuses', status: 503 });
  await drainLog(store);
  expect(await redis.xlen(redisKeys(store.tag).log)).toBe(0);
  await redis.config('SET', 'maxmemory', 0);
  expect(await balance(who)).toBe(70);
  await charged(who, 1, 10);
  await expectClean();
});

test('a server that became a replica makes a charge look for the master, although it refuses that charge alone', async () => {
  const who = await newAccount(100);
  await charged(who, 1);
  const { host, port, password } = redis.options;
  const named = `redis-cluster://:${encodeURIComponent(password ?? '')}@${host}:${port}`;
  const following = openCreditsRedis(named, store.tag);
  await following.connect();
  const own = openWallet(following, redisKeys(store.tag));
  expect((await own.charge(who, call(1))).kind).toBe('charged');
  const closed = once(following, 'close');
  // Of a master that nobody reaches: it answers reads with what it has.
  await redis.call('REPLICAOF', '127.0.0.1', '1');
  await expect(own.charge(who, call(1))).rejects.toThrow();
  await closed;
  await redis.call('REPLICAOF', 'NO', 'ONE');
  await expect.poll(async () => (await own.charge(who, call(1)).catch(() => null))?.kind).toBe('unconfirmed');
  following.disconnect();
});

async function follow(from: Redis, to: Redis): Promise<void> {
  const { host = '', port = 0, password = '' } = to.options;
  await from.config('SET', 'masterauth', password);
  await from.call('REPLICAOF', host, port);
  await expect.poll(() => from.info('replication')).toContain('master_link_status:up');
}

test('a first replica, which another process learns of while charges go on, stops nobody', {
  tags: ['long'],
}, async () => {
  const who = await newAccount(50_000);
  await charged(who, 1);
  const other = await openOwnRedis();
  const [replica, neighbour] = [openCreditsRedis(other.url), openCreditsRedis(own.url)];
  await Promise.all([replica.connect(), neighbour.connect()]);
  const keys = redisKeys(store.tag);
  const busy = openWallet(redis, keys, { exposureCap: 100_000 });
  let isOver = false;
  const charging = Array.from({ length: 3 }, async () => {
    while (!isOver) {
      await busy.charge(who, call(1));
      await sleep(1);
    }
  });
  await follow(replica, redis);
  await sleep(100);
  await openBalance({ ...store, redis: neighbour }, { _id: who.orgId, epoch: 1 });
  await sleep(100);
  isOver = true;
  await Promise.all(charging);
  await expectClean();
  expect(await redis.smembers(keys.forks)).toEqual([]);
  await charged(who, 1);
  await replica.call('REPLICAOF', 'NO', 'ONE');
  for (const one of [replica, neighbour]) one.disconnect();
  await other.close();
});

test('a pair that fails over and back has lost what its replica did not have, also for who stayed connected', {
  tags: ['long'],
}, async () => {
  const [who, idle] = [await newAccount(100), await newAccount(100)];
  const other = await openOwnRedis();
  const replica = openCreditsRedis(other.url);
  await replica.connect();
  for (const one of [who, idle]) await charged(one, 1, 10);
  await follow(replica, redis);
  await replica.call('REPLICAOF', 'NO', 'ONE');
  for (const one of [who, idle]) await charged(one, 1, 10);
  await drainLog(store);
  await follow(redis, replica);
  await expect(wallet().charge(who, call(10))).rejects.toMatchObject({ status: 503 });
  await expect.poll(() => redis.ping().catch(() => '')).toBe('PONG');
  await redis.call('REPLICAOF', 'NO', 'ONE');
  expect((await wallet().charge(who, call(10))).kind).toBe('unconfirmed');
  for (const one of [who, idle]) await charged(one, 1, 10);
  expect(await Promise.all([balance(who), balance(idle)])).toEqual([70, 70]);
  await expectClean();
  replica.disconnect();
  await other.close();
});
