/**
 * CPU of an ordinary metered call, in the API and in Redis, beyond that of its own query: the same handler is run
 * in the same process without HTTP, key and charge. The two take turns. No answer comes from memory.
 * `npm run bench:calls [-- rounds]`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Redis } from 'ioredis';
import { loadConfig } from '../../src/config.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { openServices } from '../../src/embedded/open.ts';
import { openMongo } from '../../src/mongo.ts';
import { openCreditsRedis } from '../../src/redis.ts';
import { seed } from '../../test/api/corpus.ts';
import { report } from '../goals.ts';
import { generator, load } from '../load.ts';
import { median } from '../median.ts';
import type { Query } from './server.ts';

const AT_ONCE = 64;
const SLICE_SECONDS = 3;
/** Until its code is compiled, a call takes ten times the CPU. */
const WARM_SECONDS = 12;
const PEPPER = 'a pepper for the bench only';
const GOAL_MICROS = 150;

/** One of each kind: nothing found, one document, a page, several reads. Answers kept for everybody are no part. */
const CALLS = [
  {
    path: '/v1/filing/0000950123-18-099999',
    tool: 'filing.get',
    input: { accession: '0000950123-18-099999' },
  },
  {
    path: '/v1/filing/0000950123-18-011885',
    tool: 'filing.get',
    input: { accession: '0000950123-18-011885' },
  },
  { path: '/v1/events?limit=5', tool: 'events.latest', input: { limit: 5 } },
] as const;

type Micros = { readonly call: number; readonly query: number };

async function main(rounds: number): Promise<void> {
  const settings = { ...loadConfig(), home: join(tmpdir(), 'tidemark-bench') };
  const services = await openServices(settings, (line) => console.error(line));
  const [database, tag] = [`bench_${process.pid}`, `bench${process.pid}`];
  const mongo = await openMongo(services.mongoUrl, database);
  const redis = openCreditsRedis(services.creditsRedisUrl);
  let child: ChildProcess | undefined;
  try {
    await redis.connect();
    await seed(mongo.db);
    const store = { db: mongo.db, redis, tag, now: () => new Date(), pepper: PEPPER };
    const { key } = await createKey(store, { orgName: 'Bench', credits: 1_000_000_000, label: 'bench' });
    child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), {
      execArgv: ['--import', import.meta.resolve('../../src/typescript.mjs')],
      env: {
        ...process.env,
        ...{ RATE_LIMIT_PER_SECOND: '100000', RATE_LIMIT_BURST: '100000' },
        ...{ CREDITS_EXPOSURE_PER_ORG: '0', CREDITS_EXPOSURE_TOTAL: '0' },
        ...{ MONGO_URL: services.mongoUrl, CREDITS_REDIS_URL: services.creditsRedisUrl },
        ...{ MONGO_DB: database, CREDITS_TAG: tag, KEY_PEPPER: PEPPER, PORT: '0', LOG_LEVEL: 'silent' },
      },
    });
    const [port] = (await once(child, 'message')) as [number];
    const measured = await inTurns({ child, redis, port, key }, rounds);
    report(
      'calls',
      CALLS.flatMap(({ path }, at) => {
        const slices = measured.map((round) => round[at] as Micros);
        const beyond = median(slices.map(({ call, query }) => call - query));
        return [
          { what: `${path}: µs beyond its query`, value: beyond, atMost: GOAL_MICROS },
          { what: `${path}: µs of its query`, value: median(slices.map(({ query }) => query)) },
        ];
      }),
    );
  } finally {
    child?.kill('SIGTERM');
    await mongo.db.dropDatabase();
    const keys = await redis.keys(`{${tag}}*`);
    for (let at = 0; at < keys.length; at += 1_000) await redis.unlink(...keys.slice(at, at + 1_000));
    redis.disconnect();
    await mongo.client.close();
    await services.release();
  }
}

type Target = {
  readonly child: ChildProcess;
  readonly redis: Redis;
  readonly port: number;
  readonly key: string;
};

/** For each round the calls in their order. The first round warms up. */
async function inTurns(target: Target, rounds: number): Promise<Micros[][]> {
  const by = await generator();
  const measured: Micros[][] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const slices: Micros[] = [];
    for (const { path, tool, input } of CALLS) {
      const before = await usageOf(target);
      const loaded = await load(by, {
        url: `http://127.0.0.1:${target.port}${path}`,
        headers: { authorization: `Bearer ${target.key}` },
        ...{ connections: AT_ONCE, seconds: round === 0 ? WARM_SECONDS : SLICE_SECONDS },
      });
      const call = ((await usageOf(target)) - before) / loaded.calls;
      const times = Math.ceil(loaded.calls / 2);
      const query = (await ask(target, { tool, input, times, atOnce: AT_ONCE })) / times;
      slices.push({ call, query });
      console.error(
        `${path}: ${loaded.perSecond.toFixed(0)}/s, ${call.toFixed(0)} µs, query ${query.toFixed(0)} µs`,
      );
    }
    if (round > 0) measured.push(slices);
  }
  return measured;
}

/** CPU of the API and Redis so far, in microseconds. */
async function usageOf({ child, redis }: Target): Promise<number> {
  const said = await redis.info('cpu');
  const seconds = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(said)?.[1]);
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1e6 + (await ask({ child }, 'usage'));
}

async function ask({ child }: Pick<Target, 'child'>, wanted: 'usage' | Query): Promise<number> {
  child.send(wanted);
  const [{ cpuMicros }] = (await once(child, 'message')) as [{ readonly cpuMicros: number }];
  return cpuMicros;
}

await main(Number(process.argv[2] ?? 3));
