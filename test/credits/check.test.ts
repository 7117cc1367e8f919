import { expect, test } from 'vitest';
import { grantCredits } from '../../src/credits/grant.ts';
import { checkLedger } from '../../src/credits/ledger/check.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { appendGrant, grantsIn } from '../../src/store/account/grants.ts';
import { type LedgerDoc, ledgerIn, rowsAfter } from '../../src/store/account/ledger.ts';
import { lastLedgerCheck } from '../../src/store/account/ledger-checks.ts';
import { organizationsIn } from '../../src/store/account/organizations.ts';
import { account, call, store, useWalletWorld, wallet, world } from './use-wallet-world.ts';

useWalletWorld();

const check = (whole = true) => checkLedger(store(), { whole });

/** An organisation with a grant, three charges of 10, the last one voided, all in the ledger. */
async function charged() {
  const who = await account(100);
  const calls = [call(10), call(10), call(10)] as const;
  for (const one of calls) await wallet.charge(who, one);
  await wallet.void(who, calls[2]);
  await drainLog(store());
  const rows = await ledgerIn(store().db).find(rowsAfter(who.orgId, '')).sort({ _id: 1 }).toArray();
  return { who, rows };
}

const spoilt: [string, (rows: LedgerDoc[]) => Promise<unknown>, RegExp][] = [
  [
    'a row that is missing',
    ([, row]) => ledgerIn(store().db).deleteOne({ _id: row?._id ?? '' }),
    /follows number 1/,
  ],
  ['another amount', ([, row]) => change(row, { delta: -9 }), /100 and -9 are not 90/],
  ['another balance', ([, row]) => change(row, { balanceAfter: 95 }), /100 and -10 are not 95/],
  [
    'a void of more than its charge',
    (rows) => change(rows[4], { delta: 20, balanceAfter: 90 }),
    /no charge of this amount/,
  ],
  [
    'a grant of another amount',
    ([row]) => grantsIn(store().db).updateOne({ orgId: row?.orgId ?? '' }, { $set: { amount: 1 } }),
    /not as it was granted/,
  ],
  [
    'another balance in Redis',
    ([row]) => world.credits.hset(redisKeys(world.creditsTag).org(row?.orgId ?? ''), 'bal', 81),
    /Redis has 81, it should be 80/,
  ],
  [
    'a row that Redis counted and nobody has',
    ([row]) => world.credits.hincrby(redisKeys(world.creditsTag).org(row?.orgId ?? ''), 'n', 1),
    /neither ledger nor log/,
  ],
  [
    'an older balance in Redis than in the ledger',
    ([row]) => world.credits.hset(redisKeys(world.creditsTag).org(row?.orgId ?? ''), { n: 2, bal: 90 }),
    /Redis ends here, the ledger at/,
  ],
  [
    'a balance without a row',
    ([row]) => world.credits.hset(redisKeys(world.creditsTag).org(row?.orgId ?? ''), { n: 0, epoch: 2 }),
    /neither ledger nor log/,
  ],
];

function change(row: LedgerDoc | undefined, fields: Partial<LedgerDoc>) {
  return ledgerIn(store().db).updateOne({ _id: row?._id ?? '' }, { $set: fields });
}

test.each(spoilt)('%s is a problem', async (_what, spoil, sentence) => {
  expect((await check()).problems).toEqual([]);
  const { who, rows } = await charged();
  expect((await check()).problems).toEqual([]);
  await spoil(rows);
  const { problems } = await check();
  expect(problems.join('\n')).toMatch(sentence);
  expect(problems.every((problem) => problem.startsWith(who.orgId))).toBe(true);
  // The next one begins clean.
  await organizationsIn(store().db).deleteOne({ _id: who.orgId });
  await ledgerIn(store().db).deleteMany(rowsAfter(who.orgId, ''));
  await world.credits.del(redisKeys(world.creditsTag).org(who.orgId));
});

test('a problem is one again for the check of the next hour', async () => {
  const { who, rows } = await charged();
  await change(rows[1], { delta: -9 });
  for (let hour = 0; hour < 2; hour += 1) {
    expect((await check(false)).problems).toEqual([`${rows[1]?._id}: 100 and -9 are not 90`]);
  }
  await change(rows[1], { delta: -10 });
  expect((await check(false)).problems).toEqual([]);
  expect(await check(false)).toMatchObject({ rows: 0, organizations: 1 });
  await organizationsIn(store().db).deleteOne({ _id: who.orgId });
});

test('charges that go on meanwhile are no problem, and the next check begins where this one ended', async () => {
  const who = await account(1_000);
  let isOver = false;
  const charging = (async () => {
    while (!isOver) await wallet.charge(who, call(1));
  })();
  const draining = (async () => {
    while (!isOver) await drainLog(store());
  })();
  for (let round = 0; round < 5; round += 1) expect((await check()).problems).toEqual([]);
  isOver = true;
  await Promise.all([charging, draining]);
  await drainLog(store());
  await check(false);
  await grantCredits(store(), { org: who.orgId, amount: 5, reason: 'more' });
  await drainLog(store());
  expect(await check(false)).toMatchObject({ rows: 1, grants: 1, problems: [] });
  expect(await lastLedgerCheck(store().db)).toMatchObject({ rows: 1, problems: [] });
});

test('many organisations are looked at together, one that has not changed is not read again, and all balances are added', async () => {
  const all = await Promise.all(Array.from({ length: 5 }, () => account(100)));
  for (const who of all) await wallet.charge(who, call(10));
  await drainLog(store());
  const before = await check();
  expect(before.problems).toEqual([]);
  const [changed] = all;
  if (changed === undefined) throw new Error('no account');
  await wallet.charge(changed, call(5));
  const { db } = store();
  let read = 0;
  const counting = {
    db: calling(db, 'collection', (name) => {
      if (name === 'grants') read += 1;
    }),
  };
  const found = await checkLedger({ ...store(), ...counting }, { whole: false });
  expect(found).toMatchObject({ rows: 0, balance: before.balance - 5, problems: [] });
  // The grants that wait, of all; those of the one that changed, for its rows and its balance.
  expect([found.organizations > all.length, read]).toEqual([true, 3]);
});

/** The same object, which says each call of one of its methods. */
function calling<T extends object>(target: T, method: string, heard: (first: unknown) => void): T {
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (name === method) heard(args[0]);
        return Reflect.apply(value, target, args);
      };
    },
  });
}

test('a grant that Redis takes for applied is found each hour, also where nothing else moves', async () => {
  const { who } = await charged();
  expect((await check(false)).problems).toEqual([]);
  await world.credits.hincrby(redisKeys(world.creditsTag).org(who.orgId), 'g', 1);
  // As of a process that looked before, and was killed.
  const at = new Date().toISOString();
  await appendGrant(store().db, { orgId: who.orgId, amount: 50, reason: 'test', at });
  const problem = `${who.orgId}: neither ledger nor log has grant 2`;
  expect((await check(false)).problems).toContain(problem);
  expect((await check(false)).problems).toContain(problem);
});
