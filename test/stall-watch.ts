import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { engineThatMade } from '../packages/embedded/engine.ts';
import type { Services } from '../packages/embedded/open.ts';
import type { ServiceName } from '../packages/embedded/probe.ts';
import { isAlive } from '../packages/embedded/process.ts';
import { readState } from '../packages/embedded/state.ts';
import { openQueueRedis } from '../src/redis.ts';

const EACH_MS = 2_000;
const LIMIT_MS = 10_000;
/** From one report of a service to the next. */
const AGAIN_MS = 60_000;

type Urls = Pick<Services, 'mongoUrl' | 'creditsRedisUrl' | 'queueRedisUrl'>;
type Options = { readonly limitMs?: number; readonly report?: (line: string) => void };
type Service = { readonly name: ServiceName; readonly ask: () => Promise<unknown> };

/**
 * Asks each service of a home every two seconds. One that gives no answer for ten is named in the output of the
 * run; `logs/stalls.log` of the home then has what the service and the system know of it, and the log of the
 * service its stacks (not of the Rust engine). Returns what ends the watch.
 */
export function watchHome(home: string, urls: Urls, options: Options = {}): () => Promise<void> {
  const { limitMs = LIMIT_MS, report = (line) => process.stderr.write(`${line}\n`) } = options;
  const stop = new AbortController();
  const mongo = new MongoClient(urls.mongoUrl, { retryWrites: false });
  const redis = { credits: openQueueRedis(urls.creditsRedisUrl), queue: openQueueRedis(urls.queueRedisUrl) };
  // Each prints its own stacks, too, when its clock has not ticked for so long.
  for (const one of Object.values(redis))
    one.config('SET', 'watchdog-period', limitMs).catch(() => undefined);
  const asked = mongo.db('probe').collection('asked');
  const log = join(home, 'logs', 'stalls.log');
  const note = (text: string): void => appendFileSync(log, `${new Date().toISOString()} ${text}\n`);
  const onStall = ({ name }: Service): void => {
    const line = `${name} of ${home} has not answered for ${limitMs / 1_000} s or more (see ${log})`;
    report(line);
    note(`${line}\n${stateOf(home, name)}`);
    if (name !== 'mongo') aboutRedis(redis[name], stop.signal).then(note, () => undefined);
  };
  const watches = [
    // A write waits for more than a read does: for the lock and the cache of the store.
    { name: 'mongo', ask: () => asked.updateOne({}, { $inc: { times: 1 } }, { upsert: true }) } as const,
    { name: 'credits', ask: () => redis.credits.ping() } as const,
    { name: 'queue', ask: () => redis.queue.ping() } as const,
  ].map((service) => watch(service, { limitMs, onStall, signal: stop.signal }));
  return async () => {
    stop.abort();
    redis.credits.disconnect();
    redis.queue.disconnect();
    await Promise.all([mongo.close(), ...watches]);
  };
}

type Watch = {
  readonly limitMs: number;
  readonly onStall: (service: Service) => void;
  readonly signal: AbortSignal;
};

async function watch(service: Service, { limitMs, onStall, signal }: Watch): Promise<void> {
  while (!signal.aborted) {
    // A refusal is an answer, too.
    const answer = service.ask().catch(() => undefined);
    let pauseMs = EACH_MS;
    for (let ms = limitMs; !(await within(answer, ms, signal)); ms = AGAIN_MS) {
      onStall(service);
      pauseMs = AGAIN_MS;
    }
    await wait(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** Whether the answer is there in time. Answers that came while this process was busy are read first. */
async function within(answer: Promise<unknown>, ms: number, signal: AbortSignal): Promise<boolean> {
  const answered = answer.then(() => true);
  const over = new AbortController();
  const until = { signal: AbortSignal.any([signal, over.signal]), ref: false };
  const late = wait(ms, undefined, until).then(
    () => turn(false),
    () => true,
  );
  return Promise.race([answered, late]).finally(() => over.abort());
}

/** What the system says of the process of a service; the Python engine prints its stacks. */
function stateOf(home: string, name: ServiceName): string {
  const running = readState(home)[name];
  if (running === undefined || !isAlive(running)) return 'its process has ended';
  const { pid } = running;
  if (name === 'mongo' && engineThatMade(home) === 'python') process.kill(pid, 'SIGUSR1');
  const files = [`${pid}/status`, `${pid}/stat`, `${pid}/wchan`, `${pid}/stack`, 'stat', 'loadavg'];
  return [...files, 'pressure/cpu', 'pressure/io', 'pressure/memory']
    .map((file) => `/proc/${file}`)
    .map((path) => `${path}: ${textOf(path)}`)
    .join('\n');
}

/** Some are for root alone, and some kernels lack them: the others say enough. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    return String(error);
  }
}

/** By a connection of its own: the one that waits may be what is broken. Answered when the server does. */
async function aboutRedis(waiting: Redis, signal: AbortSignal): Promise<string> {
  const redis = waiting.duplicate();
  signal.addEventListener('abort', () => redis.disconnect());
  const said = await Promise.all([redis.slowlog('GET', 20), redis.client('LIST'), redis.info('everything')]);
  redis.disconnect();
  return said.map((reply) => (typeof reply === 'string' ? reply : JSON.stringify(reply))).join('\n');
}
