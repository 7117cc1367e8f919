/**
 * CPU of an ordinary metered call, in the API and in Redis, beyond that of its own query: the same handler is run
 * in the same process without HTTP, key and charge. The two take turns. No answer comes from memory.
 * `npm run bench:calls [-- rounds]`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Redis } from 'ioredis';
import { seed } from '../../test/api/corpus.ts';
import { withBenchCustomer } from '../customer.ts';
import { report } from '../goals.ts';
import { generator, load } from '../load.ts';
import { median } from '../median.ts';
import type { Query } from './server.ts';

const AT_ONCE = 64;
const SLICE_SECONDS = 3;
/** Until its code is compiled, a call takes ten times the CPU. */
const WARM_SECONDS = 12;
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
  await withBenchCustomer(async ({ db, redis, key, env }) => {
    await seed(db);
    const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), {
      execArgv: ['--import', import.meta.resolve('../../src/typescript.mjs')],
      env,
    });
    try {
      const [port] = (await once(child, 'message')) as [number];
      printReport(await inTurns({ child, redis, port, key }, rounds));
    } finally {
      child.kill('SIGTERM');
    }
  });
}

function printReport(measured: readonly (readonly Micros[])[]): void {
  const results = CALLS.flatMap(({ path }, at) => {
    const slices = measured.map((round) => round[at] as Micros);
    const beyond = median(slices.map(({ call, query }) => call - query));
    return [
      { what: `${path}: µs beyond its query`, value: beyond, atMost: GOAL_MICROS },
      { what: `${path}: µs of its query`, value: median(slices.map(({ query }) => query)) },
    ];
  });
  report('calls', results);
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
