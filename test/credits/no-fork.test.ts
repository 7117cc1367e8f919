import { expect, test } from 'vitest';
import { applyGrants, grantCredits } from '../../src/credits/grant.ts';
import { checkLedger } from '../../src/credits/ledger/check.ts';
import { drainBatch, drainLog } from '../../src/credits/ledger/drain.ts';
import { lastStreamId } from '../../src/credits/ledger/entry.ts';
import { fenceCredits } from '../../src/credits/ledger/fence.ts';
import { openBalance } from '../../src/credits/ledger/open-balance.ts';
import { watchOpenCalls } from '../../src/credits/ledger/sweep.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import type { CreditStore } from '../../src/credits/store.ts';
import type { Credential } from '../../src/credits/wallet.ts';
import { grantsIn } from '../../src/store/account/grants.ts';
import { latestRows, ledgerIn, placeOf } from '../../src/store/account/ledger.ts';
import { type Command, interruptedDb } from '../store/interrupted.ts';
import { account, call, store, useWalletWorld, wallet, world } from './use-wallet-world.ts';

// What a loss of Redis does at a bad moment is no fork: nobody waits for an operator (rule 12.7).

useWalletWorld();

const keys = () => redisKeys(world.creditsTag);
const orgOf = ({ orgId }: Credential) => ({ _id: orgId, epoch: 1 });

async function charge(who: Credential, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) expect((await wallet.charge(who, call(10))).kind).toBe('charged');
}

const kindsOf = async (orgId: string) =>
  (await latestRows(store().db, orgId, 100))
    .reverse()
    .map((row) => `${row.kind} ${placeOf(row).epoch}/${placeOf(row).n}`);

/** A store whose nth command of that name on the ledger waits for `act` first. */
function interrupted(name: string, act: () => Promise<unknown>, nth = 1): CreditStore {
  let seen = 0;
  const before = async (command: Command): Promise<void> => {
    if (command.collection !== 'ledger' || command.name !== name) return;
    seen += 1;
    if (seen === nth) await act();
  };
  return { ...store(), db: interruptedDb(world.mongo.db, { before }) };
}

/** Begins another run, as a restart of Redis does; with nothing of the log left, and the organisation as it was. */
const restarted = () => world.credits.multi().set(keys().fence, String(Math.random())).script('FLUSH').exec();

async function lost({ orgId }: Credential, before: Record<string, string> = {}): Promise<void> {
  await world.credits.del(keys().log, keys().exposure, keys().org(orgId));
  if (before['epoch'] !== undefined) await world.credits.hset(keys().org(orgId), before);
  await restarted();
}

async function expectNoFork(): Promise<void> {
  await drainLog(store());
  expect(await world.credits.smembers(keys().forks)).toEqual([]);
  expect((await checkLedger(store(), { whole: true })).problems).toEqual([]);
}

test('an epoch whose charges Redis lost is not begun again while a drain has them', async () => {
  const who = await account(100);
  await drainLog(store());
  const before = await world.credits.hgetall(keys().org(who.orgId));
  await restarted();
  expect(await openBalance(store(), orgOf(who))).toBe(2);
  await charge({ ...who, epoch: 2 }, 2);
  const late = interrupted('insertMany', async () => {
    await lost(who, before);
    await charge({ ...who, epoch: await openBalance(store(), orgOf(who)) }, 1);
  });
  await drainBatch(late);
  await expectNoFork();
  expect(await kindsOf(who.orgId)).toEqual(['grant 1/1', 'open 2/2', 'open 3/3', 'charge 3/4']);
});

test('neither is the first epoch, of which the ledger has no row', async () => {
  const who = await account(100);
  await charge(who, 2);
  const late = interrupted('insertMany', async () => {
    await lost(who);
    await applyGrants(store(), orgOf(who));
    await charge({ ...who, epoch: await openBalance(store(), orgOf(who)) }, 1);
  });
  await drainBatch(late);
  await expectNoFork();
  expect(await kindsOf(who.orgId)).toEqual(['open 2/1', 'grant 2/2', 'charge 2/3']);
});

test('what Redis loses while it is compared does not stop its organisation', async () => {
  const who = await account(100);
  await drainLog(store());
  await charge(who, 2);
  await restarted();
  let isLost = false;
  const redis = new Proxy(world.credits, {
    get(target, name) {
      if (name !== 'hmget') {
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (key: string, ...fields: string[]) => {
        const read = await target.hmget(key, ...fields);
        if (!isLost) await lost(who);
        isLost = true;
        return read;
      };
    },
  });
  expect(await openBalance({ ...store(), redis }, orgOf(who))).toBe(2);
  await expectNoFork();
});

test('an opening that began in an earlier run does not end an epoch of the present one', async () => {
  const who = await account(100);
  await charge(who, 1);
  await drainLog(store());
  await restarted();
  // As a second process has it: callers of one process share one try.
  const copy = '../../src/credits/ledger/open-balance.ts?another';
  const another: { openBalance: typeof openBalance } = await import(copy);
  const slow = interrupted('toArray', async () => {
    await restarted();
    await charge({ ...who, epoch: await another.openBalance(store(), orgOf(who)) }, 1);
    await drainLog(store());
  });
  await charge({ ...who, epoch: await openBalance(slow, orgOf(who)) }, 1);
  await expectNoFork();
  expect((await kindsOf(who.orgId)).slice(-3)).toEqual(['open 2/3', 'charge 2/4', 'charge 2/5']);
});

test('a drain under way during a fence does not stop again what the fence has joined', async () => {
  const who = await account(100);
  await drainLog(store());
  await charge(who, 1);
  await world.credits.xdel(keys().log, (await lastStreamId(store())) ?? '');
  await charge(who, 2);
  await drainLog(store());
  expect(await world.credits.smembers(keys().forks)).toEqual([who.orgId]);
  // It has read the row before, and that the entries wait; it is about to ask whether the ledger has them.
  await drainLog(interrupted('toArray', () => fenceCredits(store()), 2));
  await openBalance(store(), orgOf(who));
  await expectNoFork();
});

test('a grant under a number that Redis has applied and a restored MongoDB does not know waits for the fence', async () => {
  const who = await account(100);
  const grant = () => grantCredits(store(), { org: who.orgId, amount: 50, reason: 'more' });
  await grant();
  await drainLog(store());
  const id = { $regex: `^${who.orgId}.*2$` };
  await grantsIn(store().db).deleteOne({ _id: id });
  await ledgerIn(store().db).deleteOne({ _id: id });
  await expect(grant()).rejects.toMatchObject({ code: 'credits_stopped' });
  await fenceCredits(store());
  expect((await grant()).balance).toBe(200);
  await expectNoFork();
});

test('open calls of an organisation that is stopped wait for the fence without a word', async () => {
  const who = await account(100);
  await drainLog(store());
  const { attemptId } = call(10);
  const row = `charge|${who.orgId}|1|2|-10|90|${attemptId}|test|${who.keyId}`;
  await world.credits.hset(keys().openCalls, `dead|${attemptId}`, row);
  await world.credits.hset(keys().org(who.orgId), 'run', '');
  await world.credits.sadd(keys().forks, who.orgId);
  const errors: unknown[] = [];
  let ms = 0;
  const log = { error: (...one: unknown[]) => errors.push(one) };
  const sweeper = watchOpenCalls({ ...store(), log }, () => ms);
  for (; ms < 60_000; ms += 10_000) expect(await sweeper.voidCallsOfDead()).toBe(0);
  expect(errors).toEqual([]);
  expect(await world.credits.hexists(keys().openCalls, `dead|${attemptId}`)).toBe(1);
  await fenceCredits(store());
  await world.credits.hdel(keys().openCalls, `dead|${attemptId}`);
  await expectNoFork();
});
