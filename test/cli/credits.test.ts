import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestOf } from '../../src/credits/account/key.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { openBalance } from '../../src/credits/ledger/open-balance.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { openWallet } from '../../src/credits/wallet.ts';
import { setAside } from '../../src/store/account/set-aside.ts';
import { openWorld, type World } from '../world.ts';
import { tidemark } from './tidemark.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const credits = (...args: string[]) => tidemark(world, 'credits', ...args);

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

test('credits set-aside lists, shows and settles what cannot be read; status, doctor and check name it until then', async () => {
  const at = '2018-11-30T00:00:00.000Z';
  const odd = 'charge|\u001b[2J';
  await setAside(world.mongo.db, [
    { from: 'log', name: '1-0', text: odd, at },
    { from: 'open call', name: 'p|a', text: '', at },
  ]);
  const listed = JSON.parse((await credits('set-aside', 'list', '--json')).stdout);
  const [first, second] = listed.map((row: { id: string }) => row.id);
  expect(listed).toMatchObject([{ text: odd }, { text: '' }]);
  expect((await credits('set-aside', 'list')).stdout).not.toContain('\u001b');
  expect((await credits('set-aside', 'show', first)).stdout).toContain(JSON.stringify(odd));
  expect((await credits('set-aside', 'show', 'log|2-0|x')).code).toBe(1);
  const problem = 'credits texts that cannot be read: 2 (tidemark credits set-aside list)';
  expect((await tidemark(world, 'status')).stdout).toContain(`PROBLEM ${problem}\n`);
  expect((await tidemark(world, 'doctor')).stdout).toContain(`WARN ${problem}\n`);
  expect((await credits('check')).stdout.match(/^SET ASIDE /gm)).toHaveLength(2);

  expect((await credits('set-aside', 'settle', '--note', 'a slip')).code).toBe(2);
  const one = await credits('set-aside', 'settle', first, '--by', 'ada', '--note', 'a test by hand');
  expect([one.code, one.stderr]).toEqual([0, `Settled ${first}.\n`]);
  expect((await credits('set-aside', 'settle', first, '--note', 'again')).code).toBe(1);
  expect((await credits('set-aside', 'settle', '--all', '--note', 'granted 10')).stderr).toBe('Settled 1.\n');
  expect((await credits('check')).stdout).not.toContain('SET ASIDE');
  expect((await tidemark(world, 'status')).stdout).not.toContain('cannot be read');
  const settled = JSON.parse((await credits('set-aside', 'list', '--settled', '--json')).stdout);
  expect(settled).toMatchObject([
    { id: first, settled_by: 'ada', note: 'a test by hand' },
    { id: second, note: 'granted 10' },
  ]);
  // The same damage met again waits for nobody.
  await setAside(world.mongo.db, [{ from: 'log', name: '1-0', text: odd, at }]);
  expect((await credits('set-aside', 'list')).stdout).toBe('');
});
