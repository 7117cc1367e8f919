import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { grantCredits } from '../../src/credits/grant.ts';
import { checkLedger } from '../../src/credits/ledger/check.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { startDrainer } from '../../src/credits/ledger/drainer.ts';
import { lastStreamId, readLog } from '../../src/credits/ledger/entry.ts';
import { fenceCredits } from '../../src/credits/ledger/fence.ts';
import { currentBalance, openBalance } from '../../src/credits/ledger/open-balance.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { type Credential, openWallet } from '../../src/credits/wallet.ts';
import { grantsIn } from '../../src/store/account/grants.ts';
import { appendRows, latestRows, ledgerIn, placeOf, rowsAfter } from '../../src/store/account/ledger.ts';
import { organizationsIn } from '../../src/store/account/organizations.ts';
import { usageOf } from '../../src/store/account/usage.ts';
import { interruptedDb } from '../store/interrupted.ts';
import { account, balanceOf, call, store, useWalletWorld, wallet, world } from './use-wallet-world.ts';

useWalletWorld();

const keys = () => redisKeys(world.creditsTag);
const quiet = { warn: () => undefined };

async function charge(who: Credential, times: number, cost = 1): Promise<void> {
  const results = await Promise.all(Array.from({ length: times }, () => wallet.charge(who, call(cost))));
  expect(results.every(({ kind }) => kind === 'charged')).toBe(true);
}

const kindsOf = async (orgId: string) =>
  (await latestRows(store().db, orgId, 1_000)).map(({ kind }) => kind).reverse();

async function expectClean(): Promise<void> {
  await drainLog(store());
  expect((await checkLedger(store(), { whole: true })).problems).toEqual([]);
}

/** A balance of the present process and epoch, as a call finds it. */
async function admitted(who: Credential): Promise<Credential> {
  return { ...who, epoch: await openBalance(store(), { _id: who.orgId, epoch: 1 }) };
}

test('what was charged goes to MongoDB in its order and leaves nothing at risk', async () => {
  const who = await account(100);
  await charge(who, 3, 10);
  const voided = call(7);
  await wallet.charge(who, voided);
  await wallet.void(who, voided);
  await drainLog(store());
  const rows = (await latestRows(store().db, who.orgId, 10)).reverse();
  expect(rows.map((row) => [row.kind, placeOf(row).n, row.balanceAfter])).toEqual([
    ['grant', 1, 100],
    ['charge', 2, 90],
    ['charge', 3, 80],
    ['charge', 4, 70],
    ['charge', 5, 63],
    ['void', 6, 70],
  ]);
  expect(await lastStreamId(store())).toBeNull();
  expect(await world.credits.hget(keys().org(who.orgId), 'und')).toBe('0');
  expect(await world.credits.get(keys().exposure)).toBe('0');
  await expectClean();
});

test('a drainer that dies between MongoDB and Redis repeats, and nothing counts twice', async () => {
  const who = await account(100);
  await charge(who, 5, 2);
  const day = new Date().toISOString().slice(0, 10);
  const { entries } = await readLog(store(), '-', 1_000);
  await appendRows(store().db, entries.map(({ row }) => row).slice(0, 4));
  await charge(who, 5, 2);
  await expectClean();
  await expectClean();
  const usage = await usageOf(store().db, who.orgId, { from: '0', to: '9' });
  expect(usage.map(({ day: on, ...rest }) => rest)).toEqual([
    { keyId: who.keyId, tool: 'test', calls: 10, credits: 20, voids: 0 },
  ]);
  expect([day, new Date().toISOString().slice(0, 10)]).toContain(usage[0]?.day);
});

test('three drainers at once write every row and count every call once', async () => {
  const all = await Promise.all([account(1_000), account(1_000), account(1_000)]);
  await Promise.all(all.map((who) => charge(who, 300)));
  await Promise.all([drainLog(store()), drainLog(store()), drainLog(store())]);
  await expectClean();
  for (const who of all) {
    expect(await kindsOf(who.orgId)).toHaveLength(301);
    const [usage] = await usageOf(store().db, who.orgId, { from: '0', to: '9' });
    expect(usage).toMatchObject({ calls: 300, credits: 300 });
    expect(await world.credits.hget(keys().org(who.orgId), 'und')).toBe('0');
  }
});

test('while nobody drains a charge is refused at the maximum at risk, of one and of all, and goes on after it', async () => {
  const [one, other] = [await account(100), await account(100)];
  await drainLog(store());
  const capped = openWallet(world.credits, keys(), { exposureCap: 20, totalExposureCap: 30 });
  const kinds = async (who: Credential, times: number) => {
    const results = [];
    for (let n = 0; n < times; n += 1) results.push((await capped.charge(who, call(10))).kind);
    return results;
  };
  expect(await kinds(one, 3)).toEqual(['charged', 'charged', 'lagging']);
  expect(await kinds(other, 2)).toEqual(['charged', 'lagging']);
  expect(await world.credits.get(keys().exposure)).toBe('30');
  await drainLog(store());
  expect([await kinds(one, 1), await kinds(other, 1)]).toEqual([['charged'], ['charged']]);
  expect([await balanceOf(one.orgId), await balanceOf(other.orgId)]).toEqual([70, 80]);
  await expectClean();
});

test('of two drainers one holds the lease; when it is gone the other one goes on', async () => {
  const who = await account(100);
  const [first, second] = [startDrainer(store(), quiet), startDrainer(store(), quiet)];
  await charge(who, 10);
  await expect.poll(() => lastStreamId(store())).toBeNull();
  await first.close();
  await charge(who, 10);
  await expect.poll(() => lastStreamId(store())).toBeNull();
  await charge(who, 10);
  await second.close();
  expect(await kindsOf(who.orgId)).toHaveLength(31);
  expect(await world.credits.exists(keys().drainer)).toBe(0);
  await expectClean();
});

test('a balance that Redis lost is the ledger’s again, in a new epoch that refuses the old one', async () => {
  const who = await account(100);
  await charge(who, 4, 10);
  await world.credits.del(keys().org(who.orgId));
  expect((await wallet.charge(who, call(10))).kind).toBe('not_opened');
  const now = await admitted(who);
  expect(now.epoch).toBe(2);
  expect((await wallet.charge(who, call(10))).kind).toBe('fenced');
  expect(await wallet.charge(now, call(10))).toMatchObject({ kind: 'charged', balance: 50 });
  await expectClean();
  expect((await kindsOf(who.orgId)).slice(-2)).toEqual(['open', 'charge']);
});

test('six processes that find a lost balance at once rebuild it once', async () => {
  const who = await account(100);
  await charge(who, 4, 10);
  await drainLog(store());
  await world.credits.del(keys().org(who.orgId));
  // Each with a name of its own for the organisation's balance, so none waits for another's try.
  const stores = Array.from({ length: 6 }, () => ({ ...store(), redis: world.credits.duplicate() }));
  await Promise.all(stores.map(({ redis }) => redis.connect()));
  const epochs = await Promise.all(stores.map((one) => openBalance(one, { _id: who.orgId, epoch: 1 })));
  for (const { redis } of stores) redis.disconnect();
  expect(new Set(epochs).size).toBe(1);
  expect(await balanceOf(who.orgId)).toBe(60);
  await charge({ ...who, epoch: epochs[0] ?? 0 }, 5, 10);
  await expectClean();
});

test('two histories of one balance stop it, and the fence joins them: no charge is lost, and none is made twice', async () => {
  const who = await account(100);
  await charge(who, 2, 10);
  const before = await world.credits.hgetall(keys().org(who.orgId));
  await charge(who, 3, 10);
  await drainLog(store());
  // Redis as it was three charges ago, without having been restarted.
  await world.credits.hset(keys().org(who.orgId), before);
  await charge(who, 2, 5);
  await drainLog(store());
  expect((await wallet.charge(who, call(5))).kind).toBe('unconfirmed');
  expect((await fenceCredits(store())).rebuilt).toEqual([who.orgId]);
  expect(await lastStreamId(store())).toBeNull();
  expect(await currentBalance(store(), { _id: who.orgId, epoch: 1 })).toBe(40);
  await charge(await admitted(who), 1, 10);
  await expectClean();
  const [usage] = await usageOf(store().db, who.orgId, { from: '0', to: '9' });
  expect(usage).toMatchObject({ calls: 8, credits: 70 });
});

test('a history that spent more than there was ends at 0, never below', async () => {
  const who = await account(30);
  const before = await world.credits.hgetall(keys().org(who.orgId));
  await charge(who, 3, 10);
  await drainLog(store());
  await world.credits.hset(keys().org(who.orgId), before);
  await charge(who, 2, 10);
  await drainLog(store());
  await fenceCredits(store());
  expect(await currentBalance(store(), { _id: who.orgId, epoch: 1 })).toBe(0);
  await expectClean();
  expect((await checkLedger(store(), { whole: true })).unexplained).toBeGreaterThanOrEqual(20);
});

/** An organisation whose rows since the first three are not in MongoDB any more; Redis has 57. */
async function olderMongo(): Promise<Credential> {
  const who = await account(100);
  await charge(who, 2, 10);
  await drainLog(store());
  const backup = await ledgerIn(store().db).find(rowsAfter(who.orgId, '')).toArray();
  await charge(who, 3, 10);
  await grantCredits(store(), { org: who.orgId, amount: 7, reason: 'after the backup' });
  await drainLog(store());
  await ledgerIn(store().db).deleteMany(rowsAfter(who.orgId, backup.at(-1)?._id ?? ''));
  await grantsIn(store().db).deleteMany({ orgId: who.orgId, g: 2 });
  return who;
}

test('after a MongoDB of before charging stops, until the fence makes the difference a row', async () => {
  const who = await olderMongo();
  await charge(who, 1, 10);
  await drainLog(store());
  expect((await wallet.charge(who, call(10))).kind).toBe('unconfirmed');
  await expect(admitted(who)).rejects.toMatchObject({ code: 'credits_stopped' });
  await fenceCredits(store());
  const now = await admitted(who);
  expect(await balanceOf(who.orgId)).toBe(47);
  await charge(now, 1, 10);
  await grantCredits(store(), { org: who.orgId, amount: 3, reason: 'again' });
  expect(await balanceOf(who.orgId)).toBe(40);
  await expectClean();
  const open = await ledgerIn(store().db).findOne({ orgId: who.orgId, kind: 'open' });
  expect(open?.delta).toBe(-23);
});

test('a MongoDB of before is found by the first call after a restart of Redis, and by the fence', async () => {
  const [called, idle] = [await olderMongo(), await olderMongo()];
  // As a restart does: no run has admitted them.
  for (const { orgId } of [called, idle]) await world.credits.hset(keys().org(orgId), 'run', 'before');
  await expect(admitted(called)).rejects.toMatchObject({ code: 'credits_stopped' });
  const { rebuilt } = await fenceCredits(store());
  expect(new Set(rebuilt)).toEqual(new Set([called.orgId, idle.orgId]));
  expect([await balanceOf(called.orgId), await balanceOf(idle.orgId)]).toEqual([57, 57]);
  await expectClean();
});

test('a fence that died in the middle is repeated', async () => {
  const who = await olderMongo();
  await charge(who, 2, 10);
  for (const name of ['insertMany', 'updateMany']) {
    const died = interruptedDb(world.mongo.db, {
      before: async (command) => {
        if (command.name === name) throw new Error('died');
      },
    });
    await expect(fenceCredits({ ...store(), db: died })).rejects.toThrow('died');
    await expect(admitted(who)).rejects.toMatchObject({ code: 'credits_stopped' });
  }
  await fenceCredits(store());
  expect(await balanceOf(who.orgId)).toBe(37);
  await charge(await admitted(who), 1, 10);
  await expectClean();
});

test('a fence gives every balance that both have a new epoch', async () => {
  const who = await account(100);
  await charge(who, 2, 10);
  expect(await fenceCredits(store())).toEqual({ rebuilt: [], removed: [] });
  expect((await wallet.charge(who, call(10))).kind).toBe('unconfirmed');
  const now = await admitted(who);
  expect(now.epoch).toBe(2);
  expect((await wallet.charge(who, call(10))).kind).toBe('fenced');
  await charge(now, 1, 10);
  expect(await balanceOf(who.orgId)).toBe(70);
  await expectClean();
});

test('fences while processes charge and drain stop nobody, and every charge has its row', async () => {
  const all = await Promise.all([account(1_000_000), account(1_000_000)]);
  const drainer = startDrainer(store(), quiet);
  let isOver = false;
  const charged = all.map(async (first) => {
    let [who, count]: [Credential, number] = [first, 0];
    while (!isOver) {
      const { kind } = await wallet.charge(who, call(1));
      if (kind === 'charged') count += 1;
      else who = await admitted(who).catch(() => who);
      await sleep(1);
    }
    return count;
  });
  for (let n = 0; n < 8; n += 1) {
    await sleep(50);
    expect(await fenceCredits(store())).toEqual({ rebuilt: [], removed: [] });
  }
  isOver = true;
  const counts = await Promise.all(charged);
  await drainer.close();
  await expectClean();
  for (const [at, { orgId }] of all.entries()) {
    expect(await ledgerIn(store().db).countDocuments({ orgId, kind: 'charge' })).toBe(counts[at]);
  }
});

test('an organisation of a copy from before its last epoch has its balance rebuilt again', async () => {
  const who = await account(100);
  await drainLog(store());
  await world.credits.del(keys().org(who.orgId));
  await charge(await admitted(who), 2, 10);
  await drainLog(store());
  const [last] = await latestRows(store().db, who.orgId, 1);
  await ledgerIn(store().db).deleteOne({ _id: last?._id ?? '' });
  await organizationsIn(store().db).updateOne({ _id: who.orgId }, { $set: { epoch: 1 } });
  await fenceCredits(store());
  const now = await admitted(who);
  expect([now.epoch, await balanceOf(who.orgId)]).toEqual([3, 80]);
  await charge(now, 1, 10);
  await expectClean();
});
