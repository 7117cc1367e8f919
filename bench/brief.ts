/**
 * Compares the warm metered brief with bare tuned Express and bare node:http that send the same bytes. The
 * three servers take turns in short slices of one run, so a busy machine slows all in the same way. Compare
 * the ratios, not the absolute numbers. `npm run bench:brief [-- rounds]`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { loadConfig } from '../src/config.ts';
import { createKey } from '../src/credits/account/key-life.ts';
import { openServices } from '../src/embedded/open.ts';
import { openMongo } from '../src/mongo.ts';
import { openCreditsRedis } from '../src/redis.ts';
import { briefBytes, PATH, seedBenchBrief } from './brief-bytes.ts';
import { median } from './median.ts';

const CONNECTIONS = 64;
const SLICE_SECONDS = 3;
const COUNTED_CALLS = 200;
const PEPPER = 'a pepper for the bench only';
const KINDS = ['tidemark', 'express', 'http'] as const;
type Kind = (typeof KINDS)[number];

type Target = {
  readonly child: ChildProcess;
  readonly url: string;
  readonly headers: Record<string, string>;
};
type Slice = { readonly perSecond: number; readonly cpuMicros: number; readonly p99: number };
type Usage = { readonly cpuMicros: number; readonly mongoCommands: number };

async function main(rounds: number): Promise<void> {
  const home = join(tmpdir(), 'tidemark-bench');
  const settings = { ...loadConfig(), home };
  const services = await openServices(settings, (line) => console.error(line));
  const database = `bench_${process.pid}`;
  const tag = `bench${process.pid}`;
  const mongo = await openMongo(services.mongoUrl, database);
  const redis = openCreditsRedis(services.creditsRedisUrl);
  const targets = new Map<Kind, Target>();
  try {
    await redis.connect();
    await seedBenchBrief(mongo.db);
    const store = { db: mongo.db, redis, tag, now: () => new Date(), pepper: PEPPER };
    const { key } = await createKey(store, { orgName: 'Bench', credits: 1_000_000_000, label: 'bench' });
    const env = {
      ...process.env,
      // Counted, but never reached.
      RATE_LIMIT_PER_SECOND: '100000',
      RATE_LIMIT_BURST: '100000',
      CREDITS_EXPOSURE_PER_ORG: '0',
      CREDITS_EXPOSURE_TOTAL: '0',
      MONGO_URL: services.mongoUrl,
      CREDITS_REDIS_URL: services.creditsRedisUrl,
      MONGO_DB: database,
      CREDITS_TAG: tag,
      KEY_PEPPER: PEPPER,
      PORT: '0',
      LOG_LEVEL: 'silent',
    };
    for (const kind of KINDS) targets.set(kind, await start(kind, env, key));
    const slices = await interleave(targets, rounds);
    printRatios(slices);
    await printCommands(redis, targets.get('tidemark'), tag);
  } finally {
    for (const { child } of targets.values()) child.kill('SIGTERM');
    await mongo.db.dropDatabase();
    const keys = await redis.keys(`{${tag}}*`);
    for (let at = 0; at < keys.length; at += 1_000) await redis.unlink(...keys.slice(at, at + 1_000));
    redis.disconnect();
    await mongo.client.close();
    await services.release();
  }
}

async function start(kind: Kind, env: NodeJS.ProcessEnv, key: string): Promise<Target> {
  const file = fileURLToPath(new URL('brief-server.ts', import.meta.url));
  const child = fork(file, [kind], { execArgv: ['--import', 'tsx'], env });
  const [port] = (await once(child, 'message')) as [number];
  const headers = { authorization: `Bearer ${key}` };
  const url = `http://127.0.0.1:${port}${PATH}`;
  const response = await fetch(url, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!bytes.equals(briefBytes())) throw new Error(`${kind} does not send the brief: ${response.status}`);
  return { child, url, headers };
}

async function interleave(targets: ReadonlyMap<Kind, Target>, rounds: number): Promise<Map<Kind, Slice[]>> {
  const slices = new Map<Kind, Slice[]>(KINDS.map((kind) => [kind, []]));
  for (const [kind, target] of targets) await slice(target, 1).catch((error) => console.error(kind, error));
  for (let round = 0; round < rounds; round += 1) {
    for (const [kind, target] of targets) slices.get(kind)?.push(await slice(target, SLICE_SECONDS));
  }
  return slices;
}

async function slice({ child, url, headers }: Target, duration: number): Promise<Slice> {
  const before = await usageOf(child);
  const result = await autocannon({ url, headers, connections: CONNECTIONS, duration });
  const after = await usageOf(child);
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx + result.errors} calls failed`);
  const calls = result['2xx'];
  return {
    perSecond: calls / result.duration,
    cpuMicros: (after.cpuMicros - before.cpuMicros) / calls,
    p99: result.latency.p99,
  };
}

async function usageOf(child: ChildProcess): Promise<Usage> {
  child.send('usage');
  const [usage] = (await once(child, 'message')) as [Usage];
  return usage;
}

function printRatios(slices: ReadonlyMap<Kind, readonly Slice[]>): void {
  const medians = KINDS.map((kind) => {
    const all = slices.get(kind) ?? [];
    const of = (pick: (one: Slice) => number): number => median(all.map(pick));
    return {
      kind,
      perSecond: of((one) => one.perSecond),
      cpu: of((one) => one.cpuMicros),
      p99: of((one) => one.p99),
    };
  });
  const rate = (kind: Kind): number => medians.find((one) => one.kind === kind)?.perSecond ?? Number.NaN;
  const cpu = (kind: Kind): number => medians.find((one) => one.kind === kind)?.cpu ?? Number.NaN;
  const [model] = cpus();
  console.log(
    `\nNode ${process.version}, ${cpus().length} × ${model?.model.trim()}, ${CONNECTIONS} connections, body ${briefBytes().byteLength} bytes, medians`,
  );
  console.log('server      calls/s   CPU µs/call   p99 ms');
  for (const one of medians) {
    console.log(
      `${one.kind.padEnd(10)} ${one.perSecond.toFixed(0).padStart(8)} ${one.cpu.toFixed(1).padStart(13)} ${one.p99.toFixed(1).padStart(8)}`,
    );
  }
  console.log(
    `\nwarm metered brief / bare Express   ${(rate('tidemark') / rate('express')).toFixed(2)}× calls/s (goal ≥ 1.40), ${(cpu('tidemark') / cpu('express')).toFixed(2)}× CPU`,
  );
  console.log(
    `warm metered brief / bare node:http ${(rate('tidemark') / rate('http')).toFixed(2)}× calls/s (goal ≥ 0.45), ${(cpu('tidemark') / cpu('http')).toFixed(2)}× CPU`,
  );
}

/** Prints the commands to Redis (without those inside a script) and to MongoDB for each call. */
async function printCommands(
  redis: ReturnType<typeof openCreditsRedis>,
  target: Target | undefined,
  tag: string,
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
  const before = await usageOf(target.child);
  for (let call = 0; call < COUNTED_CALLS; call += 1) {
    await (await fetch(target.url, { headers: target.headers })).arrayBuffer();
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
