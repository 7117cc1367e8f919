import { expect, test } from 'vitest';
import { checkLedger } from '../../src/credits/ledger/check.ts';
import { drainBatch, drainLog } from '../../src/credits/ledger/drain.ts';
import { readLog } from '../../src/credits/ledger/entry.ts';
import { fenceCredits } from '../../src/credits/ledger/fence.ts';
import { currentBalance, openBalance } from '../../src/credits/ledger/open-balance.ts';
import { recentEntries } from '../../src/credits/ledger/status.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { redisRun } from '../../src/credits/run.ts';
import type { CreditStore } from '../../src/credits/store.ts';
import { startVoids } from '../../src/credits/voids.ts';
import type { Credential } from '../../src/credits/wallet.ts';
import {
  appendRows,
  lastPlace,
  latestRows,
  ledgerIn,
  openingRow,
  placeOf,
} from '../../src/store/account/ledger.ts';
import { type Command, interruptedDb } from '../store/interrupted.ts';
import { account, call, store, useWalletWorld, wallet, world } from './use-wallet-world.ts';

useWalletWorld();

const keys = () => redisKeys(world.creditsTag);

async function charge(who: Credential, times: number, cost = 10): Promise<void> {
  for (let n = 0; n < times; n += 1) expect((await wallet.charge(who, call(cost))).kind).toBe('charged');
}

const rowsOf = async (orgId: string) => (await latestRows(store().db, orgId, 100)).reverse();
const kindsOf = async (orgId: string) =>
  (await rowsOf(orgId)).map((row) => `${row.kind} ${placeOf(row).epoch}/${placeOf(row).n}`);

async function expectClean(): Promise<void> {
  await drainLog(store());
  expect((await checkLedger(store(), { whole: true })).problems).toEqual([]);
}

const rebuilt = ({ orgId }: Credential, of: CreditStore = store()) =>
  openBalance(of, { _id: orgId, epoch: 1 });

/** As a second process has it: callers of one process share one try. */
async function openBalanceOfAnother(...args: Parameters<typeof openBalance>): Promise<number> {
  const copy = '../../src/credits/ledger/open-balance.ts?another';
  const another: { openBalance: typeof openBalance } = await import(copy);
  return another.openBalance(...args);
}

/** Redis as it was: its balance of before, and no entry of what came since. */
async function olderRedis({ orgId }: Credential, before: Record<string, string>): Promise<void> {
  await world.credits.del(keys().log, keys().exposure);
  await world.credits.hset(keys().org(orgId), { ...before, und: 0, run: '' });
}

/** Errors that were logged, and a store whose next command of that name on the ledger waits for `act` first. */
function interrupted(name: string, act: () => Promise<unknown>) {
  const errors: string[] = [];
  let isOver = false;
  const before = async (command: Command): Promise<void> => {
    if (isOver || command.collection !== 'ledger' || command.name !== name) return;
    isOver = true;
    await act();
  };
  const log = { error: (_: unknown, message?: string) => errors.push(message ?? '') };
  const of: CreditStore = { ...store(), db: interruptedDb(world.mongo.db, { before }), log };
  return { of, errors };
}

test('a drain under way when Redis came back older adds nothing behind the row that opens the next epoch', async () => {
  const who = await account(100);
  const before = await world.credits.hgetall(keys().org(who.orgId));
  await charge(who, 1);
  await drainLog(store());
  await charge(who, 3);
  // It has read three entries and what stands before them, and is about to insert.
  const late = interrupted('insertMany', async () => {
    await olderRedis(who, before);
    expect(await rebuilt(who)).toBe(2);
  });
  await drainBatch(late.of);
  expect(await kindsOf(who.orgId)).toEqual(['grant 1/1', 'charge 1/2', 'open 2/3']);
  expect(late.errors).toEqual([]);
  expect(await currentBalance(store(), { _id: who.orgId, epoch: 1 })).toBe(90);
  await charge({ ...who, epoch: 2 }, 1);
  await expectClean();
});

test('it adds none of its later entries either, also when the new epoch has as much', async () => {
  const who = await account(100);
  await drainLog(store());
  const before = await world.credits.hgetall(keys().org(who.orgId));
  const voided = call(10);
  await wallet.charge(who, voided);
  await wallet.void(who, voided);
  const [, ...late] = (await readLog(store(), '-', 10)).entries;
  await charge(who, 1);
  await olderRedis(who, before);
  expect(await rebuilt(who)).toBe(2);
  // At number 2 the balance is 100 in both epochs: the void would follow if the charge had been there.
  const rows = late.map(({ row }) => ({ ...row, balanceAfter: 110 }));
  expect(await appendRows(store().db, rows)).toEqual(new Set([who.orgId]));
  await expectClean();
});

test('an opening that finds rows still arriving begins after them', async () => {
  const who = await account(100);
  await drainLog(store());
  await charge(who, 3);
  const entries = await world.credits.xrange(keys().log, '-', '+');
  await world.credits.del(keys().org(who.orgId), keys().log, keys().exposure);
  // The late drain inserts while the opening is about to take the same number.
  const slow = interrupted('insertMany', async () => {
    for (const [id, fields] of entries) await world.credits.xadd(keys().log, id, ...fields);
    await drainBatch(store());
  });
  expect(await rebuilt(who, slow.of)).toBe(2);
  expect((await kindsOf(who.orgId)).slice(-2)).toEqual(['charge 1/4', 'open 2/5']);
  expect(await currentBalance(store(), { _id: who.orgId, epoch: 1 })).toBe(70);
  await expectClean();
});

test('a process that died after the row that opens an epoch leaves it to the next one', async () => {
  const who = await account(100);
  await charge(who, 2);
  await drainLog(store());
  await fenceCredits(store());
  const last = await lastPlace(store().db, who.orgId);
  const at = new Date().toISOString();
  const run = await redisRun(store().redis, keys().fence).id();
  await ledgerIn(store().db).insertOne(openingRow(who.orgId, last, { epoch: 2, delta: 0, at, run }));
  expect((await wallet.charge(who, call(10))).kind).toBe('unconfirmed');
  expect(await rebuilt(who)).toBe(2);
  await charge({ ...who, epoch: 2 }, 1);
  await drainLog(store());
  expect((await kindsOf(who.orgId)).slice(-2)).toEqual(['open 2/4', 'charge 2/5']);
  await expectClean();
});

test('a balance that another process admits and charges meanwhile keeps its epoch', async () => {
  const who = await account(100);
  await charge(who, 1);
  await drainLog(store());
  await fenceCredits(store());
  // Has read the closed balance, and is about to read where the ledger ends.
  const slow = interrupted('toArray', async () => {
    expect(await openBalanceOfAnother(store(), { _id: who.orgId, epoch: 1 })).toBe(2);
    await charge({ ...who, epoch: 2 }, 1);
    await drainLog(store());
  });
  expect(await rebuilt(who, slow.of)).toBe(2);
  expect(slow.errors).toEqual([]);
  expect(await kindsOf(who.orgId)).toEqual(['grant 1/1', 'charge 1/2', 'open 2/3', 'charge 2/4']);
  await charge({ ...who, epoch: 2 }, 1);
  await expectClean();
});

test('a void that the ledger has is not made again by a Redis that forgot it', async () => {
  const who = await account(100);
  const sent = call(10);
  await wallet.charge(who, sent);
  const before = await world.credits.hgetall(keys().org(who.orgId));
  await wallet.void(who, sent);
  await drainLog(store());
  await olderRedis(who, before);
  await world.credits.del(keys().marker(who.orgId, sent.request));
  const voids = startVoids({ store: store(), wallet }, () => undefined);
  voids.add(who, sent);
  expect(await voids.drain(10_000)).toBe(0);
  expect(await currentBalance(store(), { _id: who.orgId, epoch: 1 })).toBe(100);
  await expectClean();
});

test('customers do not see that an epoch was opened', async () => {
  const who = await account(100);
  await charge(who, 1);
  await drainLog(store());
  await world.credits.del(keys().org(who.orgId));
  await rebuilt(who);
  const { entries } = await recentEntries(store(), who.orgId);
  expect(entries.map(({ kind }) => kind)).toEqual(['charge', 'grant']);
  await expectClean();
});
