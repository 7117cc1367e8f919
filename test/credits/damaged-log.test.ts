import { beforeEach, expect, test } from 'vitest';
import { applyPendingGrants, grantCredits } from '../../src/credits/grant.ts';
import { checkLedger } from '../../src/credits/ledger/check.ts';
import { drainLog, removeFromLog } from '../../src/credits/ledger/drain.ts';
import { startDrainer } from '../../src/credits/ledger/drainer.ts';
import { type Entry, lastStreamId, readLog, wholeLog } from '../../src/credits/ledger/entry.ts';
import { fenceCredits } from '../../src/credits/ledger/fence.ts';
import { currentBalance, openBalance } from '../../src/credits/ledger/open-balance.ts';
import { creditsStatus } from '../../src/credits/ledger/status.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { startVoids } from '../../src/credits/voids.ts';
import { type Credential, openWallet } from '../../src/credits/wallet.ts';
import { batches } from '../../src/domain/group.ts';
import { grantsIn } from '../../src/store/account/grants.ts';
import { ledgerIn, rowsAfter } from '../../src/store/account/ledger.ts';
import { account, balanceOf, call, store, useWalletWorld, wallet, world } from './use-wallet-world.ts';

useWalletWorld();

const keys = () => redisKeys(world.creditsTag);
const quiet = { warn: () => undefined };

beforeEach(async () => {
  await drainLog(store());
});

async function charge(who: Credential, times: number, cost = 1): Promise<void> {
  for (let n = 0; n < times; n += 1) expect((await wallet.charge(who, call(cost))).kind).toBe('charged');
}

const check = async () => checkLedger(store(), { whole: true });
const problems = async () => (await check()).problems;
const rowsOf = (orgId: string) => ledgerIn(store().db).find(rowsAfter(orgId, '')).sort({ _id: 1 }).toArray();

/** Drains, and lets the operator decide what does not continue the ledger. */
async function decided(): Promise<void> {
  await drainLog(store());
  await fenceCredits(store());
}

test('what is no entry stays in the log until the fence, and the entries around it become rows', async () => {
  const who = await account(100);
  const damaged = [
    ['row', 'charge|nonsense'],
    ['row', `charge|${who.orgId}|1|x|-10|90|r|t|k`],
    ['row', `charge|${who.orgId}|1||-10|90|r|t|k`],
    ['row', 'charge|{other}:key|1|2|-10|90|r|t|k'],
    ['something', 'else'],
  ];
  for (const fields of damaged) {
    await charge(who, 1, 10);
    await world.credits.xadd(keys().log, '*', ...fields);
  }
  await drainLog(store());
  expect((await rowsOf(who.orgId)).map(({ balanceAfter }) => balanceAfter)).toEqual([
    100, 90, 80, 70, 60, 50,
  ]);
  const { malformed } = await wholeLog(store());
  expect(malformed.map(({ text }) => JSON.parse(text))).toEqual(damaged);
  expect(await problems()).toEqual(
    malformed.map(({ streamId, text }) => `entry ${streamId} of the log cannot be read: ${text}`),
  );
  expect(await fenceCredits(store())).toEqual({ rebuilt: [], removed: malformed });
  expect(await problems()).toEqual([]);
});

test('an organisation whose charge was damaged is stopped until the fence, and no other one waits for it', async () => {
  const [who, other] = [await account(100), await account(100)];
  await charge(who, 1, 10);
  const damaged = await lastStreamId(store());
  await charge(who, 1, 10);
  await charge(other, 3, 10);
  await world.credits.xdel(keys().log, damaged ?? '');
  await world.credits.xadd(keys().log, '*', 'row', `charge|${who.orgId}|1|2|`);
  await drainLog(store());
  expect((await rowsOf(other.orgId)).at(-1)?.balanceAfter).toBe(70);
  expect((await wallet.charge(who, call(10))).kind).toBe('unconfirmed');
  const org = { _id: who.orgId, epoch: 1 };
  await expect(openBalance(store(), org)).rejects.toMatchObject({ code: 'credits_stopped' });
  await expect(grantCredits(store(), { org: who.orgId, amount: 1, reason: 'no' })).rejects.toMatchObject({
    code: 'credits_stopped',
  });
  expect(await creditsStatus(store())).toMatchObject({ credits_stopped: 1 });
  expect(await problems()).toContain(`${who.orgId}: charging is stopped (tidemark credits fence)`);
  await charge(other, 1, 10);
  expect((await fenceCredits(store())).rebuilt).toEqual([who.orgId]);
  expect(await currentBalance(store(), org)).toBe(80);
  await openBalance(store(), { _id: other.orgId, epoch: 1 });
  expect(await problems()).toEqual([]);
  expect(await world.credits.get(keys().exposure)).toBe('0');
});

test('a charge of a stopped organisation whose answer was not sent is voided after the fence', async () => {
  const who = await account(100);
  await drainLog(store());
  await charge(who, 1, 10);
  await world.credits.xdel(keys().log, (await lastStreamId(store())) ?? '');
  const sent = call(7);
  await wallet.charge(who, sent);
  await drainLog(store());
  const voids = startVoids({ store: store(), wallet }, () => undefined);
  voids.add(who, sent);
  expect(await voids.drain(300)).toBe(1);
  await fenceCredits(store());
  expect(await voids.drain(10_000)).toBe(0);
  expect(await currentBalance(store(), { _id: who.orgId, epoch: 1 })).toBe(90);
  expect(await problems()).toEqual([]);
});

test('a grant, a void or a charge that was damaged among entries of its organisation stays in the balance', async () => {
  const who = await account(100);
  await drainLog(store());
  const damage = async () => {
    const last = (await lastStreamId(store())) ?? '';
    await world.credits.xdel(keys().log, last);
    await world.credits.xadd(keys().log, '*', 'row', `damaged|${last}`);
  };
  const voided = call(7);
  await charge(who, 1, 10);
  await grantCredits(store(), { org: who.orgId, amount: 500, reason: 'paid' });
  await damage();
  expect(await wallet.charge(who, voided)).toMatchObject({ kind: 'charged' });
  expect(await wallet.void(who, voided)).toBe('voided');
  await damage();
  await charge(who, 1, 10);
  await charge(who, 1, 30);
  await damage();
  const before = await balanceOf(who.orgId);
  expect(before).toBe(550);
  await decided();
  expect(await currentBalance(store(), { _id: who.orgId, epoch: 1 })).toBe(before);
  expect(await problems()).toEqual([]);
});

test('an attempt that Redis charged twice, because it lost the marker, is charged once after the fence', async () => {
  for (const isDrained of [true, false]) {
    const who = await account(100);
    const twice = call(10);
    await charge(who, 1, 5);
    await wallet.charge(who, twice);
    if (isDrained) await drainLog(store());
    await world.credits.del(keys().marker(who.orgId, twice.request));
    expect(await wallet.charge(who, twice)).toMatchObject({ kind: 'charged', balance: 75 });
    await charge(who, 1, 5);
    await decided();
    expect(await currentBalance(store(), { _id: who.orgId, epoch: 1 })).toBe(80);
  }
  expect(await problems()).toEqual([]);
});

test('an organisation that is refused for credits that nobody has at risk is let in again', async () => {
  const who = await account(100);
  await drainLog(store());
  const capped = openWallet(world.credits, keys(), { exposureCap: 500, totalExposureCap: 900 });
  await world.credits.hset(keys().org(who.orgId), 'und', 499);
  const drainer = startDrainer(store(), quiet);
  const kindOfNext = async () => (await capped.charge(who, call(10))).kind;
  await expect.poll(kindOfNext, { timeout: 30_000 }).toBe('charged');
  await world.credits.set(keys().exposure, 900);
  await expect.poll(kindOfNext, { timeout: 30_000 }).toBe('charged');
  await drainer.close();
  expect(await problems()).toEqual([]);
});

test('at half of what may be at risk the drainer is called, once, and for one that is refused again', async () => {
  const who = await account(1_000);
  await drainLog(store());
  const heard: string[] = [];
  const subscriber = world.credits.duplicate();
  subscriber.on('message', (_channel, orgId: string) => heard.push(orgId));
  await subscriber.connect();
  await subscriber.subscribe(keys().fullLog);
  const capped = openWallet(world.credits, keys(), { exposureCap: 100, totalExposureCap: 0 });
  const pay = async (times: number) => {
    for (let n = 0; n < times; n += 1) await capped.charge(who, call(10));
    // Messages come in the order of the commands.
    await world.credits.publish(keys().fullLog, 'end');
    await expect.poll(() => heard.at(-1), { timeout: 30_000 }).toBe('end');
    return heard.splice(0).filter((one) => one !== 'end');
  };
  expect([await pay(4), await pay(1), await pay(5), await pay(2)]).toEqual([
    [],
    [who.orgId],
    [],
    [who.orgId, who.orgId],
  ]);
  subscriber.disconnect();
  await drainLog(store());
});

test('a grant that Redis applied and lost before the ledger had it is applied again', async () => {
  const who = await account(100);
  await drainLog(store());
  const before = await world.credits.hgetall(keys().org(who.orgId));
  await grantCredits(store(), { org: who.orgId, amount: 50, reason: 'lost' });
  expect(await grantsIn(store().db).countDocuments({ orgId: who.orgId, pending: true })).toBe(1);
  // Redis as it was a moment ago, still in the same run.
  await world.credits.del(keys().log);
  await world.credits.hset(keys().org(who.orgId), before);
  await applyPendingGrants(store(), quiet.warn);
  expect(await balanceOf(who.orgId)).toBe(150);
  await drainLog(store());
  expect(await grantsIn(store().db).countDocuments({ orgId: who.orgId, pending: true })).toBe(0);
  expect(await problems()).toEqual([]);
});

test('a grant in the balance without a row is a problem, unless the difference of a rebuild contains it', async () => {
  const who = await account(100);
  await grantCredits(store(), { org: who.orgId, amount: 50, reason: 'no row' });
  await drainLog(store());
  const rows = await rowsOf(who.orgId);
  expect(rows.map(({ rid }) => rid)).toEqual(['grant-1', 'grant-2']);
  await ledgerIn(store().db).deleteOne({ _id: rows[1]?._id ?? '' });
  expect(await problems()).toContain(`${who.orgId}: neither ledger nor log has grant 2`);
  await fenceCredits(store());
  expect(await balanceOf(who.orgId)).toBe(150);
  expect(await problems()).toEqual([]);
});

/** Charges of 1 as a drainer that stands still finds them, from number `from` on, of a balance of 100,000. */
async function addCharges(who: Credential, from: number, count: number): Promise<void> {
  for (const numbers of batches([...Array(count).keys()], 1_000)) {
    const pipeline = world.credits.pipeline();
    for (const n of numbers) {
      const row = `charge|${who.orgId}|1|${n + from}|-1|${99_999 - n}|many-${n}|t|${who.keyId}`;
      pipeline.xadd(keys().log, '*', 'row', row);
    }
    await pipeline.exec();
  }
}

test('a balance with more entries in the log than one command takes is rebuilt', {
  tags: ['long'],
}, async () => {
  const who = await account(100_000);
  await drainLog(store());
  // Of a chain that the ledger does not have.
  await addCharges(who, 5, 1_200);
  await world.credits.hset(keys().org(who.orgId), { n: 1_204, bal: 98_800, run: '' });
  await decided();
  expect([await balanceOf(who.orgId), await lastStreamId(store())]).toEqual([98_800, null]);
  expect(await problems()).toEqual([]);
});

test('fifty thousand entries are removed from the log, more than one command takes', async () => {
  const who = await account(10);
  const page = await readLog(store(), '-', 1);
  const entries = Array.from(
    { length: 50_000 },
    (_, n) => ({ ...page.entries[0], streamId: `1-${n}` }) as Entry,
  );
  expect(page.entries[0]?.row.orgId).toBe(who.orgId);
  await removeFromLog(store(), [...entries, ...page.entries]);
  expect(await lastStreamId(store())).toBeNull();
});

test('after a restart the log is drained once, not by each organisation that calls first', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => account(100)));
  for (const who of all) await charge(who, 2, 10);
  // Another run, as after a restart.
  await world.credits.set(keys().fence, 'another');
  await world.credits.script('FLUSH');
  let reads = 0;
  const redis = new Proxy(world.credits, {
    get(target, name) {
      if (name === 'xrange') reads += 1;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const counted = { ...store(), redis };
  for (const { orgId } of all.slice(0, 4)) await openBalance(counted, { _id: orgId, epoch: 1 });
  await Promise.all(all.slice(4).map(({ orgId }) => openBalance(counted, { _id: orgId, epoch: 1 })));
  expect(reads).toBe(1);
  expect(await Promise.all(all.map(({ orgId }) => balanceOf(orgId)))).toEqual(all.map(() => 80));
  expect(await problems()).toEqual([]);
});
