import { describe, expect, test, vi } from 'vitest';
import { grantCredits } from '../../src/credits/grant.ts';
import { readLog } from '../../src/credits/ledger/entry.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { redisRun } from '../../src/credits/run.ts';
import { openWallet } from '../../src/credits/wallet.ts';
import { placeOf } from '../../src/store/account/ledger.ts';
import { account, balanceOf, call, store, useWalletWorld, wallet, world } from './use-wallet-world.ts';

useWalletWorld();

describe('charge', () => {
  test('takes the cost and returns the new balance', async () => {
    const who = await account(25);
    expect(await wallet.charge(who, call(10))).toMatchObject({ kind: 'charged', balance: 15 });
    expect(await wallet.charge(who, call(10))).toMatchObject({ kind: 'charged', balance: 5 });
    expect(await wallet.charge(who, call(10))).toMatchObject({ kind: 'insufficient', balance: 5 });
    expect(await balanceOf(who.orgId)).toBe(5);
  });

  test('of 200 parallel charges with a balance for 37 exactly 37 are made', async () => {
    const who = await account(370);
    const results = await Promise.all(Array.from({ length: 200 }, () => wallet.charge(who, call(10))));
    expect(results.filter((result) => result.kind === 'charged')).toHaveLength(37);
    expect(results.filter((result) => result.kind === 'insufficient')).toHaveLength(163);
    expect(await balanceOf(who.orgId)).toBe(0);
  });

  test('the same attempt sent again is charged once and returns charged both times', async () => {
    const who = await account(100);
    const once = call(10);
    expect(await wallet.charge(who, once)).toMatchObject({ kind: 'charged', balance: 90 });
    expect(await wallet.charge(who, once)).toMatchObject({ kind: 'charged', balance: 90 });
  });

  test('a request paid before is replayed free five times, then exhausted', async () => {
    const who = await account(100);
    const named = { request: 'i-replayed', fingerprint: 'f1' };
    await wallet.charge(who, call(10, named));
    for (let replay = 0; replay < 5; replay += 1) {
      expect(await wallet.charge(who, call(10, named))).toMatchObject({ kind: 'replayed', balance: 90 });
    }
    expect(await wallet.charge(who, call(10, named))).toMatchObject({ kind: 'exhausted', balance: 90 });
    expect((await wallet.open(who, call(10, named), true)).kind).toBe('exhausted');
  });

  test('a request with another answer than the paid one is charged, and that one is then free', async () => {
    const who = await account(100);
    const named = { request: 'i-answers', fingerprint: 'f1' };
    const answers = ['one', 'one', 'two', 'two', 'one'];
    const kinds: string[] = [];
    for (const answer of answers) kinds.push((await wallet.charge(who, call(10, { ...named, answer }))).kind);
    expect(kinds).toEqual(['charged', 'replayed', 'charged', 'replayed', 'charged']);
    expect(await balanceOf(who.orgId)).toBe(70);
  });

  test('an offered request with another answer than the paid one is a mismatch, uncharged', async () => {
    const who = await account(100);
    const named = { request: 'i-offered', fingerprint: 'f1', isOffered: true };
    const kinds: string[] = [];
    for (const answer of ['one', 'two', 'one'])
      kinds.push((await wallet.charge(who, call(10, { ...named, answer }))).kind);
    expect(kinds).toEqual(['charged', 'mismatch', 'replayed']);
    expect(await balanceOf(who.orgId)).toBe(90);
  });

  test('the same request with another fingerprint is a mismatch', async () => {
    const who = await account(100);
    await wallet.charge(who, call(10, { request: 'i-mismatch', fingerprint: 'f1' }));
    const other = call(10, { request: 'i-mismatch', fingerprint: 'f2' });
    expect((await wallet.charge(who, other)).kind).toBe('mismatch');
    expect((await wallet.open(who, other, true)).kind).toBe('mismatch');
  });

  test.each([0, -1, 1001, 1.5, Number.NaN, 1e21])(
    'a cost of %s is refused before any write',
    async (cost) => {
      const who = await account(100);
      expect((await wallet.charge(who, call(cost))).kind).toBe('malformed');
      expect(await balanceOf(who.orgId)).toBe(100);
    },
  );

  test.each<[string, NonNullable<Parameters<typeof openWallet>[2]>]>([
    ['a maximum of -1 at risk', { exposureCap: -1 }],
    ['a maximum of 1.5 at risk', { exposureCap: 1.5 }],
    ['a maximum of all that is no number', { totalExposureCap: Number.NaN }],
    ['a burst of half a call', { rateLimit: { perSecond: 1, burst: 0.5 } }],
    ['an infinite rate', { rateLimit: { perSecond: Number.POSITIVE_INFINITY, burst: 1 } }],
    ['a negative rate', { rateLimit: { perSecond: -1, burst: 1 } }],
  ])('%s: every charge is refused before any write', async (_what, options) => {
    const keys = redisKeys(world.creditsTag);
    const misconfigured = openWallet(world.credits, keys, options);
    const who = await account(100);
    const [org, logged] = [
      await world.credits.hgetall(keys.org(who.orgId)),
      await world.credits.xlen(keys.log),
    ];
    expect((await misconfigured.charge(who, call(10), true)).kind).toBe('malformed');
    expect(await world.credits.hgetall(keys.org(who.orgId))).toEqual(org);
    expect(await world.credits.xlen(keys.log)).toBe(logged);
    const opened = await misconfigured.open(who, call(10), false);
    expect(opened.kind).toBe(options.rateLimit === undefined ? 'open' : 'malformed');
  });

  test('a rate of less than one call a second counts as any other, opened before or not', async () => {
    const rateLimit = { perSecond: 0.5, burst: 1 };
    const slow = openWallet(world.credits, redisKeys(world.creditsTag), { rateLimit });
    const [who, other] = [await account(100), await account(100)];
    expect(await slow.open(who, call(10), false)).toMatchObject({ kind: 'open', calls: 0 });
    expect(await slow.charge(who, call(10), true)).toMatchObject({ kind: 'rate_limited', balance: 100 });
    expect(await slow.charge(other, call(10), true)).toMatchObject({ kind: 'charged', calls: 0 });
    expect((await slow.open(other, call(10), false)).kind).toBe('rate_limited');
  });

  test('another epoch is fenced, an organisation without one is not opened', async () => {
    const who = await account(100);
    expect((await wallet.charge({ ...who, epoch: 2 }, call(10))).kind).toBe('fenced');
    await world.credits.del(redisKeys(world.creditsTag).org(who.orgId));
    expect((await wallet.charge(who, call(10))).kind).toBe('not_opened');
  });

  test('numbers of an organisation that are not whole are an error, also when their sum is', async () => {
    const who = await account(100);
    const { org, log } = redisKeys(world.creditsTag);
    await world.credits.hset(org(who.orgId), { bal: 12.5, und: 0.5 });
    const logged = await world.credits.xlen(log);
    await expect(wallet.charge(who, call(10))).rejects.toThrow(/is damaged/);
    await expect(wallet.open(who, call(10), false)).rejects.toThrow(/is damaged/);
    expect(await world.credits.hmget(org(who.orgId), 'bal', 'und')).toEqual(['12.5', '0.5']);
    expect(await world.credits.xlen(log)).toBe(logged);
  });

  test('with a maximum of credits not yet in MongoDB, the charge beyond it is refused', async () => {
    const capped = openWallet(world.credits, redisKeys(world.creditsTag), { exposureCap: 25 });
    const who = await account(100);
    const kinds = [];
    for (let n = 0; n < 3; n += 1) kinds.push((await capped.charge(who, call(10))).kind);
    expect(kinds).toEqual(['charged', 'charged', 'lagging']);
  });

  test('a log that cannot be written leaves balance and request as they were', async () => {
    const keys = redisKeys(`${world.creditsTag}-broken`);
    const broken = openWallet(world.credits, keys);
    const who = { keyId: 'abcdefgh', orgId: 'organisation', epoch: 1, digest: 'd' };
    await world.credits.hset(keys.key(who.keyId), { d: 'd', o: who.orgId });
    const run = await redisRun(world.credits, keys.fence).id();
    await world.credits.hset(keys.org(who.orgId), { epoch: 1, bal: 50, n: 1, und: 0, g: 1, run });
    await world.credits.set(keys.log, 'not a stream');
    const once = call(10);
    await expect(broken.charge(who, once)).rejects.toThrow(/WRONGTYPE/);
    expect(await world.credits.hget(keys.org(who.orgId), 'bal')).toBe('50');
    await world.credits.del(keys.log);
    expect(await broken.charge(who, once)).toMatchObject({ kind: 'charged', balance: 40 });
  });

  test('a Redis user that may not publish charges as any other, also at half of what may be at risk', async () => {
    const user = `no-channels-${world.creditsTag}`;
    await world.credits.call('ACL', 'SETUSER', user, 'on', 'nopass', '~*', '+@all', 'resetchannels');
    const redis = world.credits.duplicate({ username: user, password: 'any' });
    await redis.connect();
    const capped = openWallet(redis, redisKeys(world.creditsTag), { exposureCap: 20 });
    const who = await account(100);
    const kinds = [];
    for (let n = 0; n < 3; n += 1) kinds.push((await capped.charge(who, call(10))).kind);
    expect(kinds).toEqual(['charged', 'charged', 'lagging']);
    expect(await balanceOf(who.orgId)).toBe(80);
    redis.disconnect();
    await world.credits.call('ACL', 'DELUSER', user);
  });

  test('every change of a balance is one entry of a chain that adds up', async () => {
    const who = await account(50);
    await wallet.charge(who, call(10));
    const voided = call(7);
    await wallet.charge(who, voided);
    await wallet.void(who, voided);
    await grantCredits(store(), { org: who.orgName, amount: 5, reason: 'more' });
    const { entries } = await readLog(store(), '-', 1_000);
    const chain = entries.map(({ row }) => row).filter(({ orgId }) => orgId === who.orgId);
    expect(chain.map((row) => [row.kind, placeOf(row).n, row.delta, row.balanceAfter])).toEqual([
      ['grant', 1, 50, 50],
      ['charge', 2, -10, 40],
      ['charge', 3, -7, 33],
      ['void', 4, 7, 40],
      ['grant', 5, 5, 45],
    ]);
    expect(await balanceOf(who.orgId)).toBe(45);
  });
});

describe('void', () => {
  test('credits a charge back once', async () => {
    const who = await account(100);
    const lost = call(10);
    await wallet.charge(who, lost);
    expect(await wallet.void(who, lost)).toBe('voided');
    expect(await wallet.void(who, lost)).toBe('already');
    expect(await balanceOf(who.orgId)).toBe(100);
  });

  test('of calls that a client hung up stops at fifty, while they are half of its charges', async () => {
    const who = await account(1_000);
    const hangUp = async (): Promise<string> => {
      const lost = call(1);
      await wallet.charge(who, lost);
      return wallet.void(who, lost, { isHungUp: true });
    };
    const kinds: string[] = [];
    for (let n = 0; n < 60; n += 1) kinds.push(await hangUp());
    expect(kinds).toEqual([...Array(50).fill('voided'), ...Array(10).fill('kept')]);
    expect(await balanceOf(who.orgId)).toBe(990);
    // What we could not send is voided all the same, and so is what a client hangs up among many calls.
    const failed = call(1);
    await wallet.charge(who, failed);
    expect(await wallet.void(who, failed)).toBe('voided');
    for (let n = 0; n < 60; n += 1) await wallet.charge(who, call(1));
    expect(await hangUp()).toBe('voided');
  });

  test('of calls that a client hung up stops at a thousand in an hour, however many it makes', async () => {
    const who = await account(100_000);
    const lost = call(1);
    const { org } = redisKeys(world.creditsTag);
    const hourAgo = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds;
    await world.credits.hset(org(who.orgId), { hs: hourAgo(60), hn: 1_000, hf: -50_000 });
    await wallet.charge(who, lost);
    expect(await wallet.void(who, lost, { isHungUp: true })).toBe('kept');
    await world.credits.hset(org(who.orgId), { hs: hourAgo(3_700) });
    expect(await wallet.void(who, lost, { isHungUp: true })).toBe('voided');
  });

  test('before the charge arrives it leaves a tombstone that refuses it', async () => {
    const who = await account(100);
    const late = call(10);
    expect(await wallet.void(who, late)).toBe('tombstone');
    expect((await wallet.charge(who, late)).kind).toBe('voided');
    expect(await balanceOf(who.orgId)).toBe(100);
  });

  test('after a void the same request is charged anew by another attempt', async () => {
    const who = await account(100);
    const named = { request: 'i-again', fingerprint: 'f' };
    const lost = call(10, named);
    await wallet.charge(who, lost);
    await wallet.void(who, lost);
    expect(await wallet.charge(who, call(10, named))).toMatchObject({ kind: 'charged', balance: 90 });
  });

  test('a charge whose answer a replay has delivered is not voided', async () => {
    const who = await account(100);
    const named = { request: 'i-delivered', fingerprint: 'f' };
    const first = call(10, named);
    await wallet.charge(who, first);
    await wallet.charge(who, call(10, named));
    expect(await wallet.void(who, first)).toBe('none');
    expect(await balanceOf(who.orgId)).toBe(90);
  });
});

describe('open', () => {
  test('claims a request so that a concurrent attempt conflicts until it is given up', async () => {
    const who = await account(100);
    const named = { request: 'i-claimed', fingerprint: 'f' };
    const first = call(10, named);
    const second = call(10, named);
    expect((await wallet.open(who, first, true)).kind).toBe('open');
    expect((await wallet.open(who, second, true)).kind).toBe('conflict');
    expect((await wallet.charge(who, second)).kind).toBe('conflict');
    expect(await wallet.void(who, second)).toBe('none');
    expect((await wallet.open(who, second, true)).kind).toBe('conflict');
    expect(await wallet.void(who, first)).toBe('tombstone');
    expect((await wallet.open(who, second, true)).kind).toBe('open');
    expect((await wallet.charge(who, second)).kind).toBe('charged');
  });

  test('charges nothing and reports a balance that is too small', async () => {
    const who = await account(9);
    expect(await wallet.open(who, call(10), false)).toMatchObject({ kind: 'insufficient', balance: 9 });
    expect(await wallet.open(who, call(0), false)).toMatchObject({ kind: 'open', balance: 9 });
  });

  test('calls of one moment share a script, and each is decided as if it came alone after those before', async () => {
    const redis = world.credits.duplicate();
    await redis.connect();
    const keys = redisKeys(world.creditsTag);
    const limited = openWallet(redis, keys, { rateLimit: { perSecond: 1, burst: 4 } });
    const [who, other, unknown] = [await account(9), await account(1), await account(9)];
    await world.credits.del(keys.key(unknown.keyId));
    await limited.open(await account(1), call(1), false);
    const sendCommand = vi.spyOn(redis, 'sendCommand');
    const costs = [1, 10, 0, 9, 1, 1];
    const [own, others, refused] = await Promise.all([
      Promise.all(costs.map((cost) => limited.open(who, call(cost), false))),
      limited.open(other, call(1), false),
      limited.open(unknown, call(1), false),
    ]);
    expect(sendCommand.mock.calls.map(([{ name }]) => name)).toEqual(['evalsha', 'evalsha', 'evalsha']);
    redis.disconnect();
    expect(own.map(({ kind, calls, balance }) => [kind, calls, balance])).toEqual([
      ['open', 3, 9],
      ['insufficient', 2, 9],
      ['open', 1, 9],
      ['open', 0, 9],
      ['rate_limited', null, 9],
      ['rate_limited', null, 9],
    ]);
    expect(own.slice(4).every(({ waitMs }) => waitMs > 0 && waitMs <= 1_000)).toBe(true);
    expect(others).toMatchObject({ kind: 'open', calls: 3, balance: 1 });
    expect(refused.kind).toBe('unknown_key');
  });

  test('more calls than a script takes are all opened', async () => {
    const who = await account(5);
    const opened = await Promise.all(Array.from({ length: 200 }, () => wallet.open(who, call(5), false)));
    expect(opened.every(({ kind, balance }) => kind === 'open' && balance === 5)).toBe(true);
  });
});
