import { expect, test } from 'vitest';
import { digestOf } from '../../src/credits/account/key.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { openBalance } from '../../src/credits/ledger/open-balance.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { openWallet } from '../../src/credits/wallet.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { tidemark } from './tidemark.ts';

const world = opened(openWorld);

const credits = (...args: string[]) => tidemark(world, 'credits', ...args);

test('credits fence prints what it removes from the log, and status and check name it until then', async () => {
  const { log } = redisKeys(world.creditsTag);
  await world.credits.xadd(log, '1-1', 'row', 'charge|\u001b[2J');
  const problem = 'charges have waited';
  expect((await tidemark(world, 'status')).stdout).toContain(`PROBLEM ${problem}`);
  expect((await tidemark(world, 'doctor')).stdout).toContain(`WARN ${problem}`);
  const text = JSON.stringify(['row', 'charge|\u001b[2J']);
  expect(await credits('check')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`PROBLEM entry 1-1 of the log cannot be read: ${text}\n`),
  });
  expect((await credits('fence')).stdout).toBe(`REMOVED 1-1: ${text}\n`);
  expect((await credits('check')).code).toBe(0);
  expect((await tidemark(world, 'status')).stdout).not.toContain(problem);
});

test('credits check, usage and fence print what they say, and a difference exits with 1', async () => {
  const { store } = world;
  const { key, keyId, orgId } = await createKey(store, { orgName: 'CLI', credits: 50, label: '' });
  const who = { keyId, orgId, epoch: 1, digest: digestOf(key, store.pepper) };
  const call = { cost: 10, tool: 'fund.list', attemptId: 'a1', request: 'a1', fingerprint: '' };
  const keys = redisKeys(world.creditsTag);
  expect((await openWallet(world.credits, keys).charge(who, call)).kind).toBe('charged');
  await drainLog(store);

  const clean = await credits('check', '--json');
  expect([clean.code, JSON.parse(clean.stdout)]).toEqual([
    0,
    expect.objectContaining({ organizations: 1, rows: 2, charges: 1, grants: 1, problems: [] }),
  ]);
  const usage = JSON.parse((await credits('usage', '--org', 'CLI', '--json')).stdout);
  expect(usage).toEqual([
    expect.objectContaining({ keyId, tool: 'fund.list', calls: 1, credits: 10, voids: 0 }),
  ]);

  await world.credits.hset(keys.org(orgId), 'bal', 1_000);
  const wrong = await credits('check');
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toContain(`PROBLEM ${orgId}|000001|000000000002: Redis has 1000, it should be 40`);

  expect((await credits('fence')).code).toBe(0);
  expect(await openBalance(store, { _id: orgId, epoch: 1 })).toBe(2);
  expect(await world.credits.hget(keys.org(orgId), 'bal')).toBe('40');
  expect((await credits('check')).code).toBe(0);
});
