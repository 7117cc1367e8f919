/**
 * The API over a small store, in its own process. Sends its port. Then answers each message: `usage` with its CPU
 * so far; a query with the CPU of its handler alone, which reads and writes out the body as a call does.
 */
import { MongoClient } from 'mongodb';
import { briefSource } from '../../src/api/cache/brief-lookup.ts';
import type { Reading } from '../../src/api/endpoint/endpoint.ts';
import { ENDPOINTS } from '../../src/api/endpoints/index.ts';
import { loadConfig } from '../../src/config.ts';
import { FORMS } from '../../src/forms/index.ts';
import { createLogger } from '../../src/log.ts';
import { openCreditsRedis } from '../../src/redis.ts';
import { startApi } from '../../src/serve.ts';

/** What is asked of a handler: `times` in all, `atOnce` at a time. */
export type Query = {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly times: number;
  readonly atOnce: number;
};

const config = loadConfig();
const client = new MongoClient(config.mongoUrl ?? '', { useBigInt64: true });
const db = client.db(config.mongoDb);
const creditsRedis = openCreditsRedis(config.creditsRedisUrl ?? '');
await creditsRedis.connect();
const now = (): Date => new Date();
const log = createLogger('silent', 'bench');
const { port } = await startApi({ config, log, db, creditsRedis, now });

process.on('message', async (wanted: 'usage' | Query) => {
  process.send?.(wanted === 'usage' ? { cpuMicros: cpuMicros() } : { cpuMicros: await cpuOf(wanted) });
});
process.on('disconnect', () => process.exit(0));
process.send?.(port);

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
