import { beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/credits/ledger/check.ts';
import { drainBatch, drainLog } from '../../src/credits/ledger/drain.ts';
import { fenceCredits } from '../../src/credits/ledger/fence.ts';
import { currentBalance, openBalance } from '../../src/credits/ledger/open-balance.ts';
import { recentEntries } from '../../src/credits/ledger/recent.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import type { CreditStore } from '../../src/credits/store.ts';
import type { Credential } from '../../src/credits/wallet.ts';
import { ensureLedgerIndexes, latestRows, placeOf } from '../../src/store/account/ledger.ts';
import { sealEpochs } from '../../src/store/account/ledger-seals.ts';
import { type Command, interruptedDb } from '../store/interrupted.ts';
import { account, call, store, useWalletWorld, wallet, world } from './use-wallet-world.ts';

useWalletWorld();

beforeAll(() => ensureLedgerIndexes(world.mongo.db));

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

const seal = ({ orgId }: Credential) =>
  sealEpochs(store().db, { orgId, from: 1, to: 1, at: new Date().toISOString() });

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
  expect((await drainBatch(late.of))?.broken).toEqual(new Set([who.orgId]));
  expect(await kindsOf(who.orgId)).toEqual(['grant 1/1', 'charge 1/2', 'seal 1/3', 'open 2/1']);
  expect(late.errors).toEqual(['entries that Redis lost came after the end of their epoch']);
  expect(await currentBalance(store(), { _id: who.orgId, epoch: 1 })).toBe(90);
  await charge({ ...who, epoch: 2 }, 1);
  await expectClean();
});

test('rows of a drain under way count, although the balance was admitted as equal to the ledger without them', async () => {
  const who = await account(100);
  await charge(who, 1);
  await drainLog(store());
  const before = await world.credits.hgetall(keys().org(who.orgId));
  await charge(who, 3);
  const late = interrupted('insertMany', async () => {
    await olderRedis(who, before);
    expect(await rebuilt(who)).toBe(1);
  });
  expect((await drainBatch(late.of))?.broken).toEqual(new Set([who.orgId]));
  expect((await wallet.charge(who, call(10))).kind).toBe('unconfirmed');
  expect(await rebuilt(who)).toBe(2);
  expect(await currentBalance(store(), { _id: who.orgId, epoch: 1 })).toBe(60);
  await expectClean();
});

test('what it carried and the log still has is charged once, in the next epoch', async () => {
  const who = await account(100);
  await drainLog(store());
  await charge(who, 3);
  const late = interrupted('insertMany', () => seal(who));
  expect((await drainBatch(late.of))?.broken).toEqual(new Set([who.orgId]));
  expect(late.errors).toEqual([]);
  await fenceCredits(store());
  expect(await rebuilt(who)).toBe(2);
  expect((await kindsOf(who.orgId)).slice(1)).toEqual([
    ...['seal 1/2', 'open 2/1', 'charge 2/2', 'charge 2/3', 'charge 2/4'],
  ]);
  expect(await currentBalance(store(), { _id: who.orgId, epoch: 1 })).toBe(70);
  await expectClean();
});

test('a rebuild that finds rows still arriving sums them all', async () => {
  const who = await account(100);
  await drainLog(store());
  await charge(who, 3);
  const entries = await world.credits.xrange(keys().log, '-', '+');
  await world.credits.del(keys().org(who.orgId), keys().log, keys().exposure);
  // The late drain inserts while the rebuild is about to take the same number for its seal.
  const slow = interrupted('insertMany', async () => {
    for (const [id, fields] of entries) await world.credits.xadd(keys().log, id, ...fields);
    await drainBatch(store());
  });
  expect(await rebuilt(who, slow.of)).toBe(2);
  expect((await kindsOf(who.orgId)).slice(-3)).toEqual(['charge 1/4', 'seal 1/5', 'open 2/1']);
  expect(await currentBalance(store(), { _id: who.orgId, epoch: 1 })).toBe(70);
  await expectClean();
});

test('a process that died after the seal leaves an epoch that the next one opens', async () => {
  const who = await account(100);
  await charge(who, 2);
  await drainLog(store());
  await seal(who);
  await seal(who);
  await fenceCredits(store());
  expect((await wallet.charge(who, call(10))).kind).toBe('unconfirmed');
  expect(await rebuilt(who)).toBe(2);
  expect((await kindsOf(who.orgId)).slice(-2)).toEqual(['seal 1/4', 'open 2/1']);
  await charge({ ...who, epoch: 2 }, 1);
  expect(await currentBalance(store(), { _id: who.orgId, epoch: 1 })).toBe(70);
  await expectClean();
});

test('an epoch that is sealed while it is in use goes on in the next one', async () => {
  const who = await account(100);
  await charge(who, 1);
  await drainLog(store());
  await seal(who);
  await charge(who, 2);
  expect(await drainLog(store())).toEqual(new Set([who.orgId]));
  await fenceCredits(store());
  expect(await rebuilt(who)).toBe(2);
  expect(await currentBalance(store(), { _id: who.orgId, epoch: 1 })).toBe(70);
  await expectClean();
});

test('a balance that another process admits and charges meanwhile keeps its epoch', async () => {
  const who = await account(100);
  await charge(who, 1);
  await drainLog(store());
  await fenceCredits(store());
  // Has read the closed balance, and is about to read where the ledger ends.
  const slow = interrupted('toArray', async () => {
    expect(await openBalanceOfAnother(store(), { _id: who.orgId, epoch: 1 })).toBe(1);
    await charge(who, 1);
    await drainLog(store());
  });
  expect(await rebuilt(who, slow.of)).toBe(1);
  expect(slow.errors).toEqual([]);
  expect(await kindsOf(who.orgId)).toEqual(['grant 1/1', 'charge 1/2', 'charge 1/3']);
  await charge(who, 1);
  await expectClean();
});

test('customers do not see a seal, and a row behind it is a problem', async () => {
  const who = await account(100);
  await charge(who, 1);
  await drainLog(store());
  await world.credits.del(keys().org(who.orgId));
  await rebuilt(who);
  const { entries } = await recentEntries(store(), who.orgId);
  expect(entries.map(({ kind }) => kind)).toEqual(['charge', 'grant']);
  await expectClean();
  const [, seal] = (await latestRows(store().db, who.orgId, 2)) ?? [];
  if (seal === undefined) throw new RangeError('no seal');
  const late = { ...seal, kind: 'charge', rid: 'late', delta: -10, balanceAfter: 80 } as const;
  const [one, epoch = '', n = ''] = seal._id.split('|');
  const _id = `${one}|${epoch}|${String(Number(n) + 1).padStart(n.length, '0')}`;
  await world.mongo.db.collection<typeof late>('ledger').insertOne({ ...late, _id });
  const { problems } = await checkLedger(store(), { whole: true });
  expect(problems.join('\n')).toMatch(/follows the end of its epoch/);
});
