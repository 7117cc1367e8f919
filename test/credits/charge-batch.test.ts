import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { trackOpenCalls } from '../../src/credits/open-calls.ts';
import { type RedisKeys, redisKeys } from '../../src/credits/redis-keys.ts';
import { redisRun } from '../../src/credits/run.ts';
import { type Call, type Credential, openWallet, type Wallet } from '../../src/credits/wallet.ts';
import { groupBy } from '../../src/domain/group.ts';
import { proxyTo } from '../faults/harness/proxy.ts';
import { account, balanceOf, call, useWalletWorld, wallet, world } from './use-wallet-world.ts';

useWalletWorld();

const [FIRST, SECOND] = ['organisation1', 'organisation2'];
const KEYS = [
  { keyId: 'aaaaaaaa', orgId: FIRST },
  { keyId: 'bbbbbbbb', orgId: FIRST },
  { keyId: 'cccccccc', orgId: SECOND },
] as const;
/** Few, so that calls collide; those without a name have no Idempotency-Key. */
const REQUESTS = ['r1', 'r2', 'r3', '', ''];

/** So slow a rate that no call comes back while a test runs. */
const LIMITS = { exposureCap: 60, totalExposureCap: 90, rateLimit: { perSecond: 0.001, burst: 12 } };

type Charge = { readonly who: Credential; readonly call: Call; readonly counts: boolean };
type Step = {
  readonly change: string;
  /** Why Redis refuses the writes of the charges. */
  readonly refuses: keyof typeof REFUSALS;
  readonly charges: readonly Charge[];
};
type Side = { readonly keys: RedisKeys; readonly wallet: Wallet };

const calls: fc.Arbitrary<Charge> = fc
  .record({
    key: fc.constantFrom(...KEYS),
    request: fc.nat({ max: REQUESTS.length - 1 }),
    attempt: fc.constantFrom('a1', 'a2'),
    digest: fc.constantFrom('digest', 'digest', 'digest', 'digest', 'another'),
    fingerprint: fc.constantFrom('f1', 'f1', 'f2'),
    answer: fc.constantFrom('one', 'one', 'two'),
    isOffered: fc.boolean(),
    cost: fc.constantFrom(1, 7, 10, 10, 25, 0, 1_001, Number.NaN),
    counts: fc.boolean(),
  })
  .map(({ key, request: place, attempt, digest, cost, counts, ...rest }) => {
    const attemptId = `${key.orgId}-${place}-${attempt}`;
    const request = REQUESTS[place] || attemptId;
    const who = { ...key, digest, epoch: 1 };
    return { who, call: { cost, tool: 'test', attemptId, request, ...rest }, counts };
  });

/** Settings under which Redis accepts no write, and the value of each under which it does. */
const REFUSALS = {
  nothing: [],
  'no memory': ['maxmemory', '1', '0'],
  'no replica': ['min-replicas-to-write', '1', '0'],
} as const;

/** Does something while Redis refuses writes. */
async function refusing<T>(why: keyof typeof REFUSALS, act: () => Promise<T>): Promise<T> {
  const [name, refuses, accepts] = REFUSALS[why];
  if (name === undefined) return act();
  await world.credits.config('SET', name, refuses);
  return act().finally(() => world.credits.config('SET', name, accepts));
}

/** What may change or be wrong between two batches. */
const CHANGES: Record<string, (redis: Redis, keys: RedisKeys) => Promise<unknown>> = {
  nothing: async () => undefined,
  'a whole state': reset,
  'a log of another type': (redis, { log }) => redis.set(log, 'no stream'),
  'a log that was drained': (redis, { log }) => redis.del(log),
  'an exposure that is no integer': (redis, { exposure }) => redis.set(exposure, '1e3'),
  'an exposure of another type': (redis, { exposure }) =>
    redis.multi().del(exposure).rpush(exposure, 'x').exec(),
  'an exposure at its maximum': (redis, { exposure }) => redis.set(exposure, '80'),
  'no exposure': (redis, { exposure }) => redis.del(exposure),
  'open calls of another type': (redis, { openCalls }) => redis.set(openCalls, 'no hash'),
  'no open calls': (redis, { openCalls }) => redis.del(openCalls),
  'more credits': (redis, { org }) => redis.hset(org(FIRST), 'bal', 40, 'und', 0),
  'a balance that is no number': (redis, { org }) => redis.hset(org(SECOND), 'bal', 'much'),
  'a balance that is no integer': (redis, { org }) => redis.hset(org(FIRST), 'bal', '12.5'),
  'no number of the chain': (redis, { org }) => redis.hdel(org(SECOND), 'n'),
  'an organisation of another type': (redis, { org }) => redis.set(org(SECOND), 'no hash'),
  'no organisation': (redis, { org }) => redis.del(org(SECOND)),
  'another epoch': (redis, { org }) => redis.hset(org(FIRST), 'epoch', 2),
  'another run': (redis, { org }) => redis.hset(org(FIRST), 'run', 'before'),
  'a burst that is no number': (redis, { org }) => redis.hset(org(FIRST), 't', 'soon'),
  'a revoked key': (redis, { key }) => redis.hset(key(KEYS[0].keyId), 'x', '1'),
  'an expired key': (redis, { key }) => redis.hset(key(KEYS[1].keyId), 'e', '1000'),
  'an expiry that is no number': (redis, { key }) => redis.hset(key(KEYS[1].keyId), 'e', 'soon'),
  'no key': (redis, { key }) => redis.del(key(KEYS[2].keyId)),
  'a claim of another attempt': (redis, { marker }) => redis.set(marker(FIRST, 'r1'), 'O|another'),
  'a tombstone': (redis, { marker }) => redis.set(marker(FIRST, 'r2'), `V|${FIRST}-1-a1`),
  'a marker that cannot be read': (redis, { marker }) => redis.set(marker(FIRST, 'r3'), 'C'),
};

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    change: fc.oneof(
      { weight: 2, arbitrary: fc.constant('nothing') },
      { weight: 1, arbitrary: fc.constant('a whole state') },
      { weight: 3, arbitrary: fc.constantFrom(...Object.keys(CHANGES)) },
    ),
    refuses: fc.constantFrom('nothing', 'nothing', 'nothing', 'no memory', 'no replica'),
    // Charges of one request never share a script: a test of its own.
    charges: fc.uniqueArray(calls, {
      maxLength: 12,
      selector: ({ who, call: { request } }) => `${who.orgId} ${request}`,
    }),
  }),
  { maxLength: 8 },
);

async function reset(redis: Redis, keys: RedisKeys): Promise<void> {
  const used = await redis.keys(`${keys.log.slice(0, -'log'.length).replace(/[{}]/g, '?')}*`);
  await redis.del(keys.log, ...used);
  const run = await redisRun(redis, keys.fence).id();
  for (const { keyId, orgId } of KEYS) {
    await redis.hset(keys.key(keyId), { d: 'digest', o: orgId });
    await redis.hset(keys.org(orgId), { epoch: 1, bal: 70, n: 1, und: 0, g: 1, run });
  }
}

function openSide(name: string): Side {
  const keys = redisKeys(`${world.creditsTag}-${name}`);
  const openCalls = trackOpenCalls(world.credits, keys);
  return { keys, wallet: openWallet(world.credits, keys, { ...LIMITS, openCalls }) };
}

const outcomeOf = ({ wallet }: Side, { who, call, counts }: Charge): Promise<unknown> =>
  wallet.charge(who, call, counts).then(
    // Milliseconds pass between the two sides.
    (result) => ({ ...result, waitMs: Math.round(result.waitMs / 1e6) }),
    (error: unknown) => String(error),
  );

/** Charges of one account go together; those of different accounts keep their order. */
const byAccount = (charges: readonly Charge[]): Charge[] =>
  [...groupBy(charges, ({ who }) => `${who.keyId} ${who.digest}`).values()].flat();

/** Everything that a side has in Redis, without what names the side or the moment. */
async function stateOf({ keys }: Side): Promise<Record<string, unknown>> {
  const { credits } = world;
  const prefix = keys.log.slice(0, -'log'.length);
  const names = (await credits.keys(`${prefix.replace(/[{}]/g, '?')}*`)).sort();
  const readers: Record<string, (name: string) => Promise<unknown>> = {
    string: (name) => credits.get(name),
    list: (name) => credits.lrange(name, 0, -1),
    stream: async (name) => (await credits.xrange(name, '-', '+')).map(([, fields]) => fields),
    hash: async (name) =>
      Object.entries(await credits.hgetall(name))
        .map(([field, value]) => [
          field.replace(/^.*\|/, ''),
          field === 't' ? Math.round(Number(value) / 1e6) : value,
        ])
        .sort(),
  };
  const entries: [string, unknown][] = [];
  for (const name of names)
    entries.push([name.slice(prefix.length), await readers[await credits.type(name)]?.(name)]);
  return Object.fromEntries(entries);
}

/** The organisations for which the drainer was called, since the last look. */
async function listen({ keys: { fullLog } }: Side) {
  const subscriber = world.credits.duplicate();
  await subscriber.connect();
  await subscriber.subscribe(fullLog);
  let heard: string[] = [];
  subscriber.on('message', (_channel, orgId: string) => heard.push(orgId));
  return {
    async take(): Promise<string[]> {
      await world.credits.publish(fullLog, 'end');
      await expect.poll(() => heard.at(-1)).toBe('end');
      const taken = heard;
      heard = [];
      return taken;
    },
    close: () => subscriber.disconnect(),
  };
}

test('charges in one script do what they do one after the other, whatever Redis has', {
  tags: ['long'],
}, async () => {
  const [together, alone] = [openSide('together'), openSide('alone')];
  const [heardTogether, heardAlone] = [await listen(together), await listen(alone)];
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      for (const side of [together, alone]) await reset(world.credits, side.keys);
      for (const { change, refuses, charges } of sequence) {
        for (const { keys } of [together, alone]) {
          // What another change has made a key of another type stays.
          await CHANGES[change]?.(world.credits, keys).catch(() => undefined);
        }
        const inOrder = byAccount(charges);
        await refusing(refuses, async () => {
          const found = await Promise.all(inOrder.map((one) => outcomeOf(together, one)));
          const expected = [];
          for (const one of inOrder) expected.push(await outcomeOf(alone, one));
          expect(found).toEqual(expected);
        });
        expect(await stateOf(together)).toEqual(await stateOf(alone));
      }
      expect(await heardTogether.take()).toEqual(await heardAlone.take());
    }),
    { numRuns: 50 },
  );
  heardTogether.close();
  heardAlone.close();
});

test('charges of the same moment are one command, one that comes alone is one too', async () => {
  const who = await account(10_000);
  const redis = world.credits.duplicate();
  await redis.connect();
  const alone = openWallet(redis, redisKeys(world.creditsTag));
  await alone.charge(who, call(10));
  const seen: string[] = [];
  const sendCommand = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    seen.push(command.name);
    return sendCommand(command, stream);
  };
  await alone.charge(who, call(10));
  expect(seen).toEqual(['evalsha']);
  const results = await Promise.all(Array.from({ length: 150 }, () => alone.charge(who, call(10))));
  expect(results.map(({ balance }) => balance)).toEqual(results.map((_, n) => 9_970 - n * 10));
  // 64 at most.
  expect(seen).toEqual(['evalsha', 'evalsha', 'evalsha', 'evalsha']);
  redis.disconnect();
});

test('the same attempt and the same request twice in one moment are charged once', async () => {
  const who = await account(100);
  const once = call(10);
  const twice = await Promise.all([
    wallet.charge(who, once),
    wallet.charge(who, call(7)),
    wallet.charge(who, once),
  ]);
  expect(twice.map(({ kind, balance }) => [kind, balance])).toEqual([
    ['charged', 90],
    ['charged', 83],
    ['charged', 83],
  ]);
  const named = { request: 'i-same-moment', fingerprint: 'f' };
  const tries = Array.from({ length: 7 }, () => wallet.charge(who, call(10, named)));
  expect((await Promise.all(tries)).map(({ kind }) => kind)).toEqual([
    'charged',
    ...Array.from({ length: 5 }, () => 'replayed'),
    'exhausted',
  ]);
  expect(await balanceOf(who.orgId)).toBe(73);
});

test('a script that ioredis sends again charges none of its calls again', async () => {
  const [one, other] = [await account(100), await account(25)];
  const named = { request: 'i-sent-again', fingerprint: 'f' };
  await wallet.charge(one, call(10, named));
  const proxy = await proxyTo(new URL(world.config.creditsRedisUrl ?? ''));
  const redis = world.credits.duplicate({ host: '127.0.0.1', port: Number(new URL(proxy.url).port) });
  await redis.connect();
  const keys = redisKeys(world.creditsTag);
  const tried = openWallet(redis, keys, { openCalls: trackOpenCalls(redis, keys) });
  await redisRun(redis, keys.fence).id();
  let dropped = 0;
  proxy.play({ dropsReply: () => dropped++ === 0 });
  const answers = await Promise.all([
    tried.charge(one, call(10)),
    tried.charge(other, call(20)),
    tried.charge(other, call(20)),
    tried.charge(one, call(7, { request: 'i-new', fingerprint: 'f' })),
  ]);
  expect(dropped).toBeGreaterThan(1);
  expect(answers.map(({ kind }) => kind)).toEqual(['charged', 'charged', 'insufficient', 'charged']);
  expect([await balanceOf(one.orgId), await balanceOf(other.orgId)]).toEqual([73, 5]);
  redis.disconnect();
  proxy.close();
});

test('a log of another type is the error of each call of the script, and changes nothing', async () => {
  const side = openSide('broken');
  await reset(world.credits, side.keys);
  await world.credits.set(side.keys.log, 'no stream');
  const who = { ...KEYS[0], digest: 'digest', epoch: 1 };
  const before = await stateOf(side);
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => side.wallet.charge(who, call(10))));
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(outcomes.every((outcome) => outcome.status === 'rejected' && /WRONGTYPE/.test(outcome.reason))).toBe(
    true,
  );
  expect(await stateOf(side)).toEqual({ ...before, und: '0' });
});

test.each(['no memory', 'no replica'] as const)(
  'with %s a call of another organisation is refused as it would be alone, and a charge that stands is answered',
  async (why) => {
    const [paid, poor, other] = [await account(100), await account(5), await account(100)];
    const openCalls = trackOpenCalls(world.credits, redisKeys(world.creditsTag));
    const rateLimit = { perSecond: 100, burst: 100 };
    const limited = openWallet(world.credits, redisKeys(world.creditsTag), { openCalls, rateLimit });
    const [answered, stands] = [call(10), call(10)];
    await limited.charge(paid, answered);
    await limited.charge(paid, stands);
    limited.answered(answered);
    const outcomes = await refusing(why, () =>
      Promise.all(
        [
          limited.charge({ ...other, digest: 'f'.repeat(64) }, call(1), true),
          limited.charge(paid, stands, true),
          limited.charge(poor, call(10), true),
          limited.charge(other, call(1), true),
        ].map((outcome) =>
          outcome.then(
            ({ kind }) => kind,
            ({ code }) => code,
          ),
        ),
      ),
    );
    expect(outcomes).toEqual(['unauthorized', 'charged', 'insufficient', 'redis_refuses']);
    expect([await balanceOf(paid.orgId), await balanceOf(other.orgId)]).toEqual([80, 100]);
    // What was answered is told when Redis accepts it.
    const isOpen = ({ attemptId }: Call) =>
      world.credits.hexists(redisKeys(world.creditsTag).openCalls, openCalls.nameOf(attemptId));
    await limited.charge(other, call(1));
    expect([await isOpen(answered), await isOpen(stands)]).toEqual([0, 1]);
  },
);

test('a charge waits for a script under way only as long as a Redis that answers takes', async () => {
  const who = await account(100);
  const proxy = await proxyTo(new URL(world.config.creditsRedisUrl ?? ''));
  const port = Number(new URL(proxy.url).port);
  const redis = world.credits.duplicate({ host: '127.0.0.1', port, commandTimeout: 20_000 });
  await redis.connect();
  const own = openWallet(redis, redisKeys(world.creditsTag));
  await own.charge(who, call(1));
  proxy.play({ hangs: true });
  let sent = 0;
  const sendCommand = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    sent += 1;
    return sendCommand(command, stream);
  };
  let settled = 0;
  const silent = async (): Promise<void> => {
    await own.charge(who, call(1)).catch(() => undefined);
    settled += 1;
  };
  const first = silent();
  await expect.poll(() => sent).toBe(1);
  const others = [silent(), silent()];
  await expect.poll(() => sent).toBe(2);
  expect(settled).toBe(0);
  redis.disconnect();
  await Promise.all([first, ...others]);
  proxy.close();
});
