/**
 * CPU of an ordinary metered call, in the API and in Redis, beyond that of its own query: the same handler is run
 * in the same process without HTTP, key and charge. The two take turns; the difference of two large figures moves by
 * more than the goal from run to run, so it is only shown: the goal is for the part of the calls' CPU that is not their
 * query's by a profile of the same calls. No answer comes from memory, but for the last one: what is the same for
 * everybody does as a rule, and has no query. Each row says whether it is charged; only charged ones have a goal.
 * `npm run bench:calls [-- rounds]`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Redis } from 'ioredis';
import { form4 } from '../../src/domain/brief/brief.sample.ts';
import { FUND, seed } from '../../test/api/corpus.ts';
import { seedForms } from '../../test/api/insider-corpus.ts';
import { withBenchCustomer } from '../customer.ts';
import { report } from '../goals.ts';
import { load } from '../load.ts';
import { median } from '../median.ts';
import type { Answer, Wanted } from './server.ts';

const AT_ONCE = 16;
const SLICE_SECONDS = 3;
/** Until its code is compiled, a call takes ten times the CPU. */
const WARM_SECONDS = 12;
const GOAL_MICROS = 150;

const FILED = form4({ number: 1, filed: '2018-06-04', rows: [{}, {}, {}] });
const FILING = FILED.header.accession;
const UNKNOWN = '0000950123-18-099999';

/** Who takes CSV too is answered from the database, not from memory. None of these answers has rows as CSV. */
const FROM_THE_DATABASE = 'application/json, text/csv;q=0.1';
const FROM_MEMORY = 'application/json';

/**
 * Charged calls of each kind: several reads, two documents of which one is for everybody, a page. One that is not
 * charged. And one as everybody sends it.
 */
const CALLS = [
  {
    what: `an existing filing (/v1/filing/${FILING}), charged`,
    ...{ path: `/v1/filing/${FILING}`, tool: 'filing.get', input: { accession: FILING }, status: 200 },
  },
  {
    what: `a fund (/v1/funds/${FUND}), charged`,
    ...{ path: `/v1/funds/${FUND}`, tool: 'fund.get', input: { cik: FUND }, status: 200 },
  },
  {
    what: 'five events (/v1/events?limit=5), charged',
    ...{ path: '/v1/events?limit=5', tool: 'events.latest', input: { limit: 5 }, status: 200 },
  },
  {
    what: `an unknown filing (/v1/filing/${UNKNOWN}), 404 and not charged`,
    ...{ path: `/v1/filing/${UNKNOWN}`, tool: 'filing.get', input: { accession: UNKNOWN }, status: 404 },
  },
  {
    what: `a fund (/v1/funds/${FUND}) from memory, charged`,
    ...{ path: `/v1/funds/${FUND}`, tool: null, input: {}, status: 200 },
  },
] as const;

type OneCall = (typeof CALLS)[number];
/** Of one call: all of it, its query alone, and what a profile of the same calls finds beyond their queries. */
type Micros = { readonly call: number; readonly query: number; readonly profiled: number };

async function main(rounds: number): Promise<void> {
  await withBenchCustomer(async ({ db, redis, key, env }) => {
    await seed(db);
    await seedForms(db, [FILED]);
    const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), {
      execArgv: ['--import', import.meta.resolve('../../src/typescript.mjs')],
      // A refusal would count as a cheap call.
      env: { ...env, SHED_LOOP_DELAY_MS: '0' },
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
  const results = CALLS.flatMap(({ what, status }, at) => {
    const slices = measured.map((round) => round[at] as Micros);
    return [
      {
        what: `${what}: µs beyond its query, by a profile`,
        value: median(slices.map(({ profiled }) => profiled)),
        ...(status === 200 ? { atMost: GOAL_MICROS } : {}),
      },
      {
        what: `${what}: µs beyond its query, by difference`,
        value: median(slices.map(({ call, query }) => call - query)),
      },
      { what: `${what}: µs of its query`, value: median(slices.map(({ query }) => query)) },
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
  const measured: Micros[][] = [];
  for (const one of CALLS) await requireStatus(target, one);
  for (let round = 0; round <= rounds; round += 1) {
    const seconds = round === 0 ? WARM_SECONDS : SLICE_SECONDS;
    const slices: Micros[] = [];
    for (const one of CALLS) slices.push(await measure(target, one, seconds));
    if (round > 0) measured.push(slices);
  }
  return measured;
}

/** The call through HTTP, twice, the second time with a profile; then its query alone, half as often. */
async function measure(
  target: Target,
  { path, tool, input, what, status }: OneCall,
  seconds: number,
): Promise<Micros> {
  const sent = { ...requestOf(target, { path, tool }), connections: AT_ONCE, seconds };
  const before = await usageOf(target);
  const loaded = await load(sent);
  const after = await usageOf(target);
  if (status === 200 && seconds === SLICE_SECONDS && loaded.refused > 0)
    throw new Error(`${what}: ${loaded.refused} calls were refused`);
  const call = (after.api + after.redis - before.api - before.redis) / loaded.calls;
  await ask(target, 'profile');
  await load(sent);
  const share = await ask(target, 'share');
  const profiled = (share * (after.api - before.api) + after.redis - before.redis) / loaded.calls;
  const times = Math.ceil(loaded.calls / 2);
  const query = tool === null ? 0 : (await ask(target, { tool, input, times, atOnce: AT_ONCE })) / times;
  console.error(
    `${what}: ${loaded.perSecond.toFixed(0)}/s, ${call.toFixed(0)} µs, query ${query.toFixed(0)} µs, beyond by profile ${profiled.toFixed(0)} µs`,
  );
  return { call, query, profiled };
}

/** Throws when the call is not answered as its row says. */
async function requireStatus(target: Target, { path, tool, what, status }: OneCall): Promise<void> {
  const { url, headers } = requestOf(target, { path, tool });
  const answer = await fetch(url, { headers });
  const charged = answer.headers.get('x-credits-charged');
  if (answer.status !== status || Number(charged ?? 0) > 0 !== (status === 200))
    throw new Error(`${what}: ${answer.status}, ${charged} charged`);
}

function requestOf({ port, key }: Target, { path, tool }: Pick<OneCall, 'path' | 'tool'>) {
  const accept = tool === null ? FROM_MEMORY : FROM_THE_DATABASE;
  const headers = { accept, authorization: `Bearer ${key}` };
  return { url: `http://127.0.0.1:${port}${path}`, headers };
}

/** CPU so far, in microseconds. */
async function usageOf({ child, redis }: Target): Promise<{ readonly api: number; readonly redis: number }> {
  const said = await redis.info('cpu');
  const seconds = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(said)?.[1]);
  const redisMicros = (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1e6;
  return { api: await ask({ child }, 'usage'), redis: redisMicros };
}

async function ask({ child }: Pick<Target, 'child'>, wanted: Wanted): Promise<number> {
  child.send(wanted);
  const [{ value }] = (await once(child, 'message')) as [Answer];
  return value;
}

await main(Number(process.argv[2] ?? 3));
