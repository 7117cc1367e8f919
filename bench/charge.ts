/**
 * What a charge costs inside Redis, by `usec_per_call` of `INFO commandstats`: with 1, 8 and 64 in flight, of one
 * organisation and of as many. In the same run, in turns: a script that does nothing, one that runs the commands of the
 * same charges and decides nothing, and the script of commit 0ff1303 ({@link yardstickMicros}). Redis is the embedded
 * one. The fastest of the rounds counts: whatever else the machine does only adds.
 *
 *   npm run bench:charge
 */
import { cpus, loadavg } from 'node:os';
import type { Redis } from 'ioredis';
import { withTemporaryFolder } from '../scripts/temporary-folder.ts';
import { type Charge, chargeArgs, type PayingAccount } from '../src/credits/charge-batch.ts';
import { trackOpenCalls } from '../src/credits/open-calls.ts';
import { redisKeys } from '../src/credits/redis-keys.ts';
import { redisRun } from '../src/credits/run.ts';
import { type Credential, openWallet } from '../src/credits/wallet.ts';
import { openEmbedded } from '../src/embedded/embedded.ts';
import { openCreditsRedis } from '../src/redis.ts';
import { type Result, report } from './goals.ts';
import { median } from './median.ts';
import { asThere, yardstickMicros } from './yardstick.ts';

const ROUNDS = 7;
const SHAPES = [1, 8, 64].flatMap((inFlight) =>
  inFlight === 1
    ? [{ inFlight, orgs: 1, charges: 512 }]
    : [1, inFlight].map((orgs) => ({ inFlight, orgs, charges: 2_048 })),
);
const CAP = 1e12;
const COST = 10;
const TOOL = 'capital_change.brief';
const LIMITS = {
  exposureCap: CAP,
  totalExposureCap: CAP,
  rateLimit: { perSecond: 1_000_000, burst: 1_000_000 },
};

const keys = redisKeys('bench');
let attempts = 0;
const ROW = 'charge|organisation00|1|12345|-10|899876540|zz12ab34cd-1000000|capital_change.brief|key00000';

/** The commands of charge.lua for the same KEYS and ARGV, all of which are charged. */
const COMMANDS = `
local calls, accounts, row = tonumber(ARGV[1]), tonumber(ARGV[2]), '${ROW}'
redis.call('TIME')
redis.call('MGET', unpack(KEYS, 4, 3 + calls))
redis.call('HMGET', KEYS[3], unpack(ARGV, 7, 6 + calls))
redis.call('INCRBY', KEYS[2], ${COST})
for at = 1, accounts do
  redis.call('HMGET', KEYS[2 + calls + 2 * at], 'd', 'o', 'x', 'e')
  redis.call('HMGET', KEYS[3 + calls + 2 * at], 'epoch', 'bal', 'n', 'und', 't', 'run')
  redis.call('HSET', KEYS[3 + calls + 2 * at], 'bal', 899876540, 'n', 12345, 'und', 10, 't', 1790000000123)
end
local rows = {}
for at = 1, calls do
  redis.call('XADD', KEYS[1], '*', 'row', row)
  rows[2 * at - 1], rows[2 * at] = ARGV[6 + at], row
end
redis.call('HSET', KEYS[3], unpack(rows))
redis.call('HDEL', KEYS[3], unpack(ARGV, 7, 6 + calls))
`;

type Shape = (typeof SHAPES)[number];
type Measured = {
  readonly charge: number;
  readonly commands: number;
  readonly empty: number;
  readonly scripts: number;
};

await withTemporaryFolder('bench-charge', async (home) => {
  const services = await openEmbedded(home, ['credits'], { engine: 'auto', report: console.error });
  const redis = openCreditsRedis(services.urls.credits ?? '');
  await redis.connect();
  try {
    await compare(redis);
  } finally {
    redis.disconnect();
    await services.release();
  }
});

async function compare(redis: Redis): Promise<void> {
  console.log(`${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`);
  const accounts = await seed(redis);
  const measured = new Map<Shape, Measured[]>(SHAPES.map((shape) => [shape, []]));
  let yardstick = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const shape of SHAPES) {
      const found = await measure(redis, accounts, shape);
      // The first round warms up.
      if (round > 0) measured.get(shape)?.push(found);
    }
    yardstick = Math.min(yardstick, await yardstickMicros(redis));
  }
  report('charge', [
    { what: 'a charge of commit 0ff1303, 64 in flight: µs of Redis', value: yardstick },
    ...[...measured].flatMap(([shape, rounds]) => figuresOf(shape, { rounds, yardstick })),
  ]);
}

async function seed(redis: Redis): Promise<Credential[]> {
  const run = await redisRun(redis, keys.fence).id();
  const accounts = Array.from({ length: 64 }, (_, n) => {
    const name = String(n).padStart(2, '0');
    return { keyId: `key000${name}`, orgId: `organisation${name}`, epoch: 1, digest: 'd'.repeat(64) };
  });
  for (const { keyId, orgId, digest } of accounts) {
    await redis.hset(keys.key(keyId), { d: digest, o: orgId });
    await redis.hset(keys.org(orgId), { epoch: 1, bal: 1e12, n: 1, und: 0, g: 1, run });
  }
  return accounts;
}

async function measure(redis: Redis, accounts: readonly Credential[], shape: Shape): Promise<Measured> {
  const openCalls = trackOpenCalls(redis, keys);
  const wallet = openWallet(redis, keys, { ...LIMITS, openCalls });
  const charged = await scriptTime(redis, () => chargeAll(wallet, accounts, shape));
  const [commandsSha, emptySha] = [await load(redis, COMMANDS), await load(redis, '')];
  const commands = await scriptTime(redis, () => runAll(redis, commandsSha, accounts, shape));
  const empty = await scriptTime(redis, () => runAll(redis, emptySha, accounts, shape));
  return {
    charge: charged.micros / shape.charges,
    commands: commands.micros / shape.charges,
    empty: empty.micros / shape.charges,
    scripts: shape.charges / charged.calls,
  };
}

async function load(redis: Redis, text: string): Promise<string> {
  return String(await redis.script('LOAD', text));
}

/** Time inside Redis of all scripts meanwhile, and how many they were. */
async function scriptTime(
  redis: Redis,
  work: () => Promise<void>,
): Promise<{ micros: number; calls: number }> {
  await redis.del(keys.log, keys.openCalls, keys.exposure);
  await redis.config('RESETSTAT');
  await work();
  const found = /cmdstat_evalsha:calls=(\d+),usec=(\d+)/.exec(await redis.info('commandstats'));
  return { calls: Number(found?.[1]), micros: Number(found?.[2]) };
}

function nextAttempt(): string {
  attempts += 1;
  return `bench00000-${attempts}`;
}

async function chargeAll(
  wallet: ReturnType<typeof openWallet>,
  accounts: readonly Credential[],
  { inFlight, orgs, charges }: Shape,
): Promise<void> {
  let left = charges;
  const lane = async (n: number): Promise<void> => {
    const who = accounts[n % orgs];
    while (who !== undefined && left > 0) {
      left -= 1;
      const attemptId = nextAttempt();
      const call = { cost: COST, tool: TOOL, attemptId, request: attemptId, fingerprint: '' };
      const { kind } = await wallet.charge(who, call, true);
      if (kind !== 'charged') throw new Error(`a charge was ${kind}`);
      wallet.answered(call);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, (_, n) => lane(n)));
}

/** A script with the KEYS and ARGV of the same charges, one at a time. */
async function runAll(
  redis: Redis,
  digest: string,
  accounts: readonly Credential[],
  { inFlight, orgs, charges }: Shape,
): Promise<void> {
  for (let done = 0; done < charges; done += inFlight) {
    const own = accounts
      .slice(0, orgs)
      .map(chargedAs)
      .flatMap((account) => Array.from({ length: inFlight / orgs }, () => chargeOf(account)));
    const { names, args } = chargeArgs(keys, [String(CAP), String(CAP), '1000000', '1000000'], own);
    await redis.evalsha(digest, names.length, ...names, ...args);
  }
}

function chargedAs({ keyId, orgId, epoch, digest }: Credential): PayingAccount {
  const names = { key: keys.key(keyId), org: keys.org(orgId) };
  return { names, values: [digest, orgId, String(epoch), keyId] };
}

function chargeOf(account: PayingAccount): Charge {
  const attempt = nextAttempt();
  return {
    account,
    marker: keys.marker(account.values[1], attempt),
    openName: `0123456789ab|${attempt}`,
    args: [String(COST), attempt, '', TOOL, '1', ''],
  };
}

type Rounds = { readonly rounds: readonly Measured[]; readonly yardstick: number };

function figuresOf({ inFlight, orgs }: Shape, { rounds, yardstick }: Rounds): Result[] {
  const of = (name: keyof Measured): number => Math.min(...rounds.map((one) => one[name]));
  const [charge, commands, empty] = [of('charge'), of('commands'), of('empty')];
  const label = `${inFlight} in flight, ${orgs === 1 ? 'one organisation' : `${orgs} organisations`}`;
  // For a customer that calls a lot at once; the others show on what it depends.
  const goal = inFlight > 1 && orgs === 1 ? { atMost: 6 } : {};
  return [
    { what: `${label}: µs of Redis a charge`, value: charge },
    { what: `${label}: the same as the machine of the goal`, value: asThere(charge, yardstick), ...goal },
    { what: `${label}: charges a script`, value: median(rounds.map(({ scripts }) => scripts)) },
    { what: `${label}: over its bare commands`, value: charge / commands },
    { what: `${label}: over an empty script`, value: charge / empty },
  ];
}
