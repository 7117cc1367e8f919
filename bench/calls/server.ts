/**
 * The API over a small store, in its own process. Sends its port. Then answers each message: `usage` with its CPU
 * so far; a query with the CPU of its handler alone, which reads and writes out the body as a call does; `profile`
 * begins a profile, and `share` ends it with the part of all but queries.
 */
import { Session } from 'node:inspector/promises';
import { MongoClient } from 'mongodb';
import { briefSource } from '../../src/api/cache/brief-lookup.ts';
import type { Reading } from '../../src/api/endpoint/endpoint.ts';
import { ENDPOINTS } from '../../src/api/endpoints/index.ts';
import { loadConfig } from '../../src/config.ts';
import { FORMS } from '../../src/forms/index.ts';
import { createLogger } from '../../src/log.ts';
import { openCreditsRedis } from '../../src/redis.ts';
import { startApi } from '../../src/serve.ts';
import { type Profile, spentBy } from '../cpu-profile.ts';

/** What is asked of a handler: `times` in all, `atOnce` at a time. */
export type Query = {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly times: number;
  readonly atOnce: number;
};

export type Wanted = 'usage' | 'profile' | 'share' | Query;
/** `usage`, `profile` and queries: microseconds of CPU. `share`: from 0 to 1. */
export type Answer = { readonly value: number };

/** What a query is, by its functions: the driver, and our code that reads data and shapes its answer. */
const OWNERS = {
  profiler: /^node:inspector/,
  query: /\/node_modules\/(mongodb|bson)\/|\/src\/(api\/endpoints|domain|forms|read|store)\//,
  beyond: /\/(node_modules\/\w|src\/)/,
} as const;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
const config = loadConfig();
const client = new MongoClient(config.mongoUrl ?? '', { useBigInt64: true });
const db = client.db(config.mongoDb);
const creditsRedis = openCreditsRedis(config.creditsRedisUrl ?? '');
await creditsRedis.connect();
const now = (): Date => new Date();
const log = createLogger('silent', 'bench');
const { port } = await startApi({ config, log, db, creditsRedis, now });

process.on('message', async (wanted: Wanted) => {
  process.send?.(await answerTo(wanted));
});
process.on('disconnect', () => process.exit(0));
process.send?.(port);

async function answerTo(wanted: Wanted): Promise<Answer> {
  switch (wanted) {
    case 'usage':
      return { value: cpuMicros() };
    case 'profile':
      await session.post('Profiler.start');
      return { value: cpuMicros() };
    case 'share':
      return { value: shareBeyond((await session.post('Profiler.stop')).profile) };
    default:
      return { value: await cpuOf(wanted) };
  }
}

/** Of the time in functions. What no file claims, Node's own and garbage, counts as beyond. */
function shareBeyond(profile: Profile): number {
  const { query, beyond, other } = spentBy(profile, OWNERS);
  return (beyond + other) / (query + beyond + other);
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function cpuOf({ tool, input, times, atOnce }: Query): Promise<number> {
  const endpoint = ENDPOINTS.find(({ name }) => name === tool);
  const { load: findBrief } = briefSource(db, now);
  const reading: Reading = {
    ...{ db, siteUrl: config.siteUrl, forms: FORMS, orgId: '', balance: 1, creditsLow: 0 },
    findBrief,
  };
  const read = endpoint?.read(input);
  if (read?.ok !== true) throw new Error(`${tool} refuses ${JSON.stringify(input)}`);
  const before = cpuMicros();
  let left = times;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const outcome = await read.run(reading);
      if (outcome.kind === 'body') Buffer.from(JSON.stringify(outcome.body));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return cpuMicros() - before;
}
