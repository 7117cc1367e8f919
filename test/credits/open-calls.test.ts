import { expect, test } from 'vitest';
import { grantCredits } from '../../src/credits/grant.ts';
import { checkLedger } from '../../src/credits/ledger/check.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { fenceCredits } from '../../src/credits/ledger/fence.ts';
import { openBalance } from '../../src/credits/ledger/open-balance.ts';
import { DEAD_MS, redisTime, watchOpenCalls } from '../../src/credits/ledger/sweep.ts';
import { trackOpenCalls } from '../../src/credits/open-calls.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { startVoids } from '../../src/credits/voids.ts';
import { openWallet } from '../../src/credits/wallet.ts';
import { latestRows } from '../../src/store/account/ledger.ts';
import { voidAfterSilence } from './silence.ts';
import { account, balanceOf, call, store, useWalletWorld, world } from './use-wallet-world.ts';

useWalletWorld();

const keys = () => redisKeys(world.creditsTag);

/** A process that answers calls. It never beats, so nothing of this file depends on the time that a test takes. */
async function openProcess() {
  const openCalls = trackOpenCalls(world.credits, keys());
  const [processId = ''] = openCalls.nameOf('').split('|');
  const beat = (at: number) => world.credits.zadd(keys().processes, at, processId);
  return { beat, openCalls, wallet: openWallet(world.credits, keys(), { openCalls }) };
}

const silent = (ms?: number) => voidAfterSilence(store(), ms);

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
  expect(await silent(DEAD_MS)).toBe(0);
  // Two sweepers at once.
  const voided = await Promise.all([silent(), silent()]);
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
  expect(await silent()).toBe(1);
  await world.credits.del(keys().marker(who.orgId, cut.attemptId));
  expect(await silent()).toBe(0);
  expect(await balanceOf(who.orgId)).toBe(100);
});

/** Looks of a sweeper at times of its own clock; returns how many calls each one voided. */
async function looks(times: readonly number[], before: (at: number) => Promise<unknown>) {
  let clock = 0;
  const sweeper = watchOpenCalls(store(), () => clock);
  const voided: number[] = [];
  for (const at of times) {
    clock = at;
    await before(at);
    voided.push(await sweeper.voidCallsOfDead());
  }
  return voided;
}

test('a process that beats is never voided, however long its answer takes and whatever the clock of Redis says', async () => {
  const who = await account(100);
  const { wallet, openCalls, beat } = await openProcess();
  const slow = call(10);
  await wallet.charge(who, slow);
  // The clock of Redis, by which a process beats, is set on by an hour, then back by a day.
  const jumps: Record<number, number> = { 40000: 3_600_000, 100000: -86_400_000 };
  let skew = Date.now();
  const times = Array.from({ length: 40 }, (_, n) => n * 5_000);
  const voided = await looks(times, async (at) => {
    skew += jumps[at] ?? 0;
    if (at % 15_000 === 0) await beat(skew + at);
  });
  expect(voided.every((count) => count === 0)).toBe(true);
  wallet.answered(slow);
  await openCalls.close();
  expect([await openNames(), await balanceOf(who.orgId)]).toEqual([[], 90]);
});

test('a jump of the clock of Redis makes no process dead that beat a moment ago', async () => {
  const who = await account(100);
  const { wallet, openCalls, beat } = await openProcess();
  await wallet.charge(who, call(10));
  await beat((await redisTime(world.credits)) - 10 * DEAD_MS);
  expect(await looks([0, 5_000, 10_000, 25_000, 30_000], async () => undefined)).toEqual([0, 0, 0, 0, 0]);
  expect(await silent()).toBe(1);
  await openCalls.close();
});

test('the time in which nobody could look is not silence: Redis was away for all', async () => {
  const who = await account(100);
  const { wallet, openCalls, beat } = await openProcess();
  await wallet.charge(who, call(10));
  await beat(1);
  expect(await looks([0, 5_000, 600_000], async () => undefined)).toEqual([0, 0, 0]);
  expect(await silent()).toBe(1);
  await openCalls.close();
});

test('a process that Redis has forgotten is watched as any other', async () => {
  const who = await account(100);
  const { wallet } = await openProcess();
  await wallet.charge(who, call(10));
  expect(await silent(DEAD_MS)).toBe(0);
  expect(await silent()).toBe(1);
});

test('an open call that cannot be read is dropped, and one that cannot be voided keeps no other one waiting', async () => {
  const [one, other] = [await account(100), await account(100)];
  const [first, second] = [await openProcess(), await openProcess()];
  const cut = call(10);
  await first.wallet.charge(one, cut);
  const [good = '', name = ''] = Object.entries(await world.credits.hgetall(keys().openCalls))[0] ?? [];
  const texts = ['', 'charge|a b|1|2|-10|90|r|t|k', name.replace('|-10|', '|-9999999|'), 'charge|{x}:y'];
  for (const [at, text] of texts.entries()) {
    await world.credits.hset(keys().openCalls, `${good.split('|')[0]}|bad-${at}`, text);
  }
  // Of an organisation whose balance cannot be read.
  await second.wallet.charge(other, call(10));
  await drainLog(store());
  const held = await world.credits.hgetall(keys().org(other.orgId));
  await world.credits.del(keys().org(other.orgId));
  await world.credits.set(keys().org(other.orgId), 'no hash');
  expect(await silent()).toBe(1);
  expect(await balanceOf(one.orgId)).toBe(100);
  expect(await openNames()).toHaveLength(1);
  await world.credits.del(keys().org(other.orgId));
  await world.credits.hset(keys().org(other.orgId), held);
  expect(await silent()).toBe(1);
  expect(await balanceOf(other.orgId)).toBe(100);
  expect((await checkLedger(store(), { whole: true })).problems).toEqual([]);
});

test('a call with an Idempotency-Key keeps its charge: the next try gets the answer free', async () => {
  const who = await account(100);
  const { wallet } = await openProcess();
  await wallet.charge(who, call(10, { request: 'i-kept', fingerprint: 'f' }));
  expect(await openNames()).toEqual([]);
  expect(await silent()).toBe(0);
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
  expect(await silent()).toBe(0);
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

test('a list of processes of another type keeps no process from starting', async () => {
  await world.credits.set(keys().processes, 'damaged');
  const openCalls = trackOpenCalls(world.credits, keys());
  await openCalls.start();
  await openCalls.close();
  expect(await world.credits.zcard(keys().processes)).toBe(1);
});
