/**
 * Compares the warm metered brief with bare tuned Express and bare node:http that send the same bytes. The
 * servers take turns in short slices of one run, so a busy machine slows all in the same way. Compare
 * the ratios, not the absolute numbers. `npm run bench:brief [-- rounds]`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Redis } from 'ioredis';
import { BRIEF_ID, briefBytes, PATH, seedBenchBrief } from './brief-bytes.ts';
import { type Measured, printReport } from './brief-report.ts';
import { withBenchCustomer } from './customer.ts';
import { type Load, load } from './load.ts';

const CONNECTIONS = 64;
const OVERLOAD = 5;
const SLICE_SECONDS = 3;
const COUNTED_CALLS = 200;
const KINDS = ['tidemark', 'express', 'node:http'] as const;
type Kind = (typeof KINDS)[number];

type Target = { readonly child: ChildProcess; readonly url: string };
type Usage = { readonly cpuMicros: number; readonly mongoCommands: number };

const OVERLOADED = { headers: {}, connections: OVERLOAD * CONNECTIONS };
const CALM = { headers: {}, connections: CONNECTIONS };

/** What takes turns: a server, and what a client asks of it. */
const SLICES: readonly (Slice & { readonly name: string; readonly kind: Kind })[] = [
  { name: 'tidemark', kind: 'tidemark', headers: {}, connections: CONNECTIONS },
  {
    name: 'tidemark, gzip',
    kind: 'tidemark',
    headers: { 'accept-encoding': 'gzip' },
    connections: CONNECTIONS,
  },
  {
    name: 'tidemark, 304',
    kind: 'tidemark',
    headers: { 'if-none-match': `W/"${BRIEF_ID}"` },
    connections: CONNECTIONS,
  },
  { name: 'express', kind: 'express', headers: {}, connections: CONNECTIONS },
  { name: 'node:http', kind: 'node:http', headers: {}, connections: CONNECTIONS },
  ...KINDS.flatMap((kind) => [
    { name: `${kind}, open connections`, kind, ...CALM, opensFirst: true },
    { name: `${kind}, overload, open connections`, kind, ...OVERLOADED, opensFirst: true },
    { name: `${kind}, overload`, kind, ...OVERLOADED, opensFirst: false },
  ]),
];

type Slice = Pick<Load, 'headers' | 'connections' | 'opensFirst'>;

async function main(rounds: number): Promise<void> {
  await withBenchCustomer(async ({ db, redis, tag, key, env }) => {
    await seedBenchBrief(db);
    const targets = new Map<Kind, Target>();
    try {
      for (const kind of KINDS) targets.set(kind, await start(kind, env, key));
      const measured = await interleave(targets, { key, redis, rounds });
      printReport(measured, { connections: CONNECTIONS, bytes: briefBytes().byteLength });
      await printCommands(redis, targets.get('tidemark'), { tag, key });
    } finally {
      for (const { child } of targets.values()) child.kill('SIGTERM');
    }
  });
}

async function start(kind: Kind, env: NodeJS.ProcessEnv, key: string): Promise<Target> {
  const file = fileURLToPath(new URL('brief-server.ts', import.meta.url));
  const child = fork(file, [kind], {
    execArgv: ['--import', import.meta.resolve('../src/typescript.mjs')],
    env,
  });
  const [port] = (await once(child, 'message')) as [number];
  const url = `http://127.0.0.1:${port}${PATH}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!bytes.equals(briefBytes())) throw new Error(`${kind} does not send the brief: ${response.status}`);
  return { child, url };
}

type Running = Slice & {
  readonly key: string;
  readonly redis: Redis;
  readonly seconds: number;
};

/** All slices in turn. The first round warms up. */
async function interleave(
  targets: ReadonlyMap<Kind, Target>,
  { rounds, ...running }: Omit<Running, keyof Slice | 'seconds'> & { readonly rounds: number },
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const seconds = round === 0 ? 1 : SLICE_SECONDS;
    for (const { name, kind, ...slice } of SLICES) {
      const target = targets.get(kind);
      if (target === undefined) continue;
      const loaded = await run(target, { ...slice, ...running, seconds });
      if (round > 0) measured.push({ name, ...loaded });
    }
  }
  return measured;
}

/** One slice, with what it cost each process. */
async function run({ child, url }: Target, { key, redis, ...slice }: Running) {
  const [before, redisBefore] = [await usageOf(child), await redisUsage(redis)];
  const headers = { ...slice.headers, authorization: `Bearer ${key}` };
  const loaded = await load({ ...slice, url, headers });
  const [after, redisAfter] = [await usageOf(child), await redisUsage(redis)];
  return {
    ...loaded,
    serverMicros: after.cpuMicros - before.cpuMicros,
    redisMicros: redisAfter - redisBefore,
  };
}

/** CPU of Redis in microseconds. */
async function redisUsage(redis: Redis): Promise<number> {
  const said = await redis.info('cpu');
  const seconds = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(said)?.[1]);
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1e6;
}

async function usageOf(child: ChildProcess): Promise<Usage> {
  child.send('usage');
  const [usage] = (await once(child, 'message')) as [Usage];
  return usage;
}

/** Prints the commands to Redis (without those inside a script) and to MongoDB for each call. */
async function printCommands(
  redis: Redis,
  target: Target | undefined,
  { tag, key }: { readonly tag: string; readonly key: string },
): Promise<void> {
  if (target === undefined) return;
  // `monitor()` opens a second connection from this one.
  const second = redis.duplicate({ lazyConnect: false, enableOfflineQueue: true });
  const monitor = await second.monitor();
  let sent = 0;
  const ended = new Promise<void>((resolve) => {
    monitor.on('monitor', (_time: string, args: string[], source: string) => {
      if (args[0]?.toLowerCase() === 'echo' && args[1] === tag) resolve();
      else if (source !== 'lua' && args.some((arg) => arg.includes(tag))) sent += 1;
    });
  });
  const headers = { authorization: `Bearer ${key}` };
  const before = await usageOf(target.child);
  for (let call = 0; call < COUNTED_CALLS; call += 1) {
    await (await fetch(target.url, { headers })).arrayBuffer();
  }
  const after = await usageOf(target.child);
  await redis.echo(tag);
  await ended;
  monitor.disconnect();
  second.disconnect();
  const mongo = after.mongoCommands - before.mongoCommands;
  console.log(
    `commands per call over ${COUNTED_CALLS} calls: Redis ${sent / COUNTED_CALLS}, Mongo ${mongo / COUNTED_CALLS}`,
  );
}

await main(Number(process.argv[2] ?? 5));
