import { beforeAll, expect, test } from 'vitest';
import { grantCredits } from '../../src/credits/grant.ts';
import { checkLedger } from '../../src/credits/ledger/check.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { fenceCredits } from '../../src/credits/ledger/fence.ts';
import { openBalance } from '../../src/credits/ledger/open-balance.ts';
import { DEAD_MS, redisTime, voidCallsOfDead } from '../../src/credits/ledger/sweep.ts';
import { trackOpenCalls } from '../../src/credits/open-calls.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { startVoids } from '../../src/credits/voids.ts';
import { openWallet } from '../../src/credits/wallet.ts';
import { ensureLedgerIndexes, latestRows } from '../../src/store/account/ledger.ts';
import { account, balanceOf, call, store, world } from './wallet-world.ts';

beforeAll(() => ensureLedgerIndexes(world.mongo.db));

const keys = () => redisKeys(world.creditsTag);

/** A process that answers calls. */
async function openProcess() {
  const openCalls = trackOpenCalls(world.credits, keys());
  await openCalls.start();
  return { openCalls, wallet: openWallet(world.credits, keys(), { openCalls }) };
}

/** As if every process had been silent for longer than it may be. */
async function silence(ms = DEAD_MS + 1_000): Promise<void> {
  const then = (await redisTime(world.credits)) - ms;
  for (const name of await world.credits.zrange(keys().processes, '0', '-1')) {
    await world.credits.zadd(keys().processes, then, String(name));
  }
}

const openNames = () => world.credits.hkeys(keys().openCalls);

test('what a dead process charged and did not answer is voided once, and nothing that it answered', async () => {
  const who = await account(100);
  const { wallet, openCalls } = await openProcess();
  const [answered, cut, last] = [call(10), call(7), call(5)];
  await wallet.charge(who, answered);
  wallet.answered(answered);
  await wallet.charge(who, cut);
  await wallet.charge(who, last);
  wallet.answered(last);
  await openCalls.close();
  expect(await voidCallsOfDead(store())).toBe(0);
  await silence();
  // Two sweepers at once.
  const voided = await Promise.all([voidCallsOfDead(store()), voidCallsOfDead(store())]);
  expect(voided.reduce((sum, count) => sum + count, 0)).toBe(1);
  expect(await balanceOf(who.orgId)).toBe(85);
  await drainLog(store());
  const [row] = await latestRows(store().db, who.orgId, 1);
  expect(row).toMatchObject({
    kind: 'crash_void',
    delta: 7,
    rid: cut.attemptId,
    tool: cut.tool,
    keyId: who.keyId,
  });
  expect(await openNames()).toEqual([]);
  expect((await checkLedger(store(), { whole: true })).problems).toEqual([]);
});

test('a charge is voided once, also when its marker has expired meanwhile', async () => {
  const who = await account(100);
  const { wallet } = await openProcess();
  const cut = call(10);
  await wallet.charge(who, cut);
  await world.credits.del(keys().marker(who.orgId, cut.attemptId));
  await silence();
  expect(await voidCallsOfDead(store())).toBe(1);
  await world.credits.del(keys().marker(who.orgId, cut.attemptId));
  expect(await voidCallsOfDead(store())).toBe(0);
  expect(await balanceOf(who.orgId)).toBe(100);
});

test('a process that beats is never voided, however long its answer takes', async () => {
  const who = await account(100);
  const { wallet, openCalls } = await openProcess();
  const slow = call(10);
  await wallet.charge(who, slow);
  await silence();
  await openCalls.start();
  expect(await voidCallsOfDead(store())).toBe(0);
  wallet.answered(slow);
  await expect.poll(openNames).toEqual([]);
  await silence();
  expect(await voidCallsOfDead(store())).toBe(0);
  expect(await balanceOf(who.orgId)).toBe(90);
});

test('a process that Redis has forgotten gets the time to beat again', async () => {
  const who = await account(100);
  const { wallet, openCalls } = await openProcess();
  await wallet.charge(who, call(10));
  await world.credits.del(keys().processes);
  expect(await voidCallsOfDead(store())).toBe(0);
  await silence();
  expect(await voidCallsOfDead(store())).toBe(1);
  await openCalls.close();
});

test('a call with an Idempotency-Key keeps its charge: the next try gets the answer free', async () => {
  const who = await account(100);
  const { wallet } = await openProcess();
  await wallet.charge(who, call(10, { request: 'i-kept', fingerprint: 'f' }));
  expect(await openNames()).toEqual([]);
  await silence();
  expect(await voidCallsOfDead(store())).toBe(0);
  expect((await wallet.charge(who, call(10, { request: 'i-kept', fingerprint: 'f' }))).kind).toBe('replayed');
  expect(await balanceOf(who.orgId)).toBe(90);
});

test('what a refused charge could not report goes with a later one', async () => {
  const who = await account(10);
  const { wallet, openCalls } = await openProcess();
  const paid = call(10);
  await wallet.charge(who, paid);
  wallet.answered(paid);
  expect((await wallet.charge(who, call(10))).kind).toBe('insufficient');
  await openCalls.close();
  expect(await openNames()).toEqual([]);
});

test('a charge that is voided after its balance was closed is not open any more', async () => {
  const who = await account(100);
  const { wallet, openCalls } = await openProcess();
  const sent = call(10);
  await wallet.charge(who, sent);
  await fenceCredits(store());
  startVoids({ store: store(), wallet }, () => undefined).add(who, sent);
  await expect.poll(openNames).toEqual([]);
  expect(await balanceOf(who.orgId)).toBe(100);
  await openCalls.close();
});

test('a call that an older copy of Redis has open again is not voided twice', async () => {
  const who = await account(100);
  const { wallet, openCalls } = await openProcess();
  const sent = call(10);
  await wallet.charge(who, sent);
  const copy = await world.credits.hgetall(keys().openCalls);
  await wallet.void(who, sent);
  await drainLog(store());
  await world.credits.hset(keys().openCalls, copy);
  await world.credits.del(keys().marker(who.orgId, sent.attemptId));
  await silence();
  expect(await voidCallsOfDead(store())).toBe(0);
  expect([await balanceOf(who.orgId), await openNames()]).toEqual([100, []]);
  await openCalls.close();
});

test('an open call is its own marker: a resend is charged once, and a void knows what it cost', async () => {
  const who = await account(100);
  const { wallet, openCalls } = await openProcess();
  const sent = call(10);
  expect(await wallet.charge(who, sent)).toMatchObject({ kind: 'charged', balance: 90 });
  expect(await wallet.charge(who, sent)).toMatchObject({ kind: 'charged', balance: 90 });
  expect(await wallet.void(who, sent)).toBe('voided');
  expect(await wallet.void(who, sent)).toBe('already');
  expect((await wallet.charge(who, sent)).kind).toBe('voided');
  expect([await balanceOf(who.orgId), await openNames()]).toEqual([100, []]);
  await openCalls.close();
});

test('a request that paid again because Redis lost its marker gets the unanswered charge back', async () => {
  const who = await account(100);
  const { wallet, openCalls } = await openProcess();
  const request = { request: 'i-lost', fingerprint: 'f' };
  const [unanswered, again] = [call(10, request), call(10, request)];
  await wallet.charge(who, unanswered);
  await drainLog(store());
  await world.credits.del(keys().org(who.orgId), keys().marker(who.orgId, request.request));
  const epoch = await openBalance(store(), { _id: who.orgId, epoch: 1 });
  expect((await wallet.charge({ ...who, epoch }, again)).kind).toBe('charged');
  const voids = startVoids({ store: store(), wallet }, () => undefined);
  voids.add(who, unanswered);
  expect(await voids.drain(10_000)).toBe(0);
  expect(await balanceOf(who.orgId)).toBe(90);
  expect((await wallet.charge({ ...who, epoch }, call(10, request))).kind).toBe('replayed');
  await drainLog(store());
  expect((await checkLedger(store(), { whole: true })).problems).toEqual([]);
  await openCalls.close();
});

test('a void that finds an older balance applies the grants that it lost', async () => {
  const who = await account(100);
  const { wallet, openCalls } = await openProcess();
  const sent = call(10);
  await wallet.charge(who, sent);
  await drainLog(store());
  const copy = await world.credits.hgetall(keys().org(who.orgId));
  await grantCredits(store(), { org: who.orgId, amount: 50, reason: 'lost with Redis' });
  await world.credits.del(keys().log);
  await world.credits.hset(keys().org(who.orgId), { ...copy, run: '' });
  const voids = startVoids({ store: store(), wallet }, () => undefined);
  voids.add(who, sent);
  expect(await voids.drain(10_000)).toBe(0);
  expect(await balanceOf(who.orgId)).toBe(150);
  await openCalls.close();
});
