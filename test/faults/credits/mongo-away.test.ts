// @module-tag long
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect } from 'vitest';
import { freePort } from '../../../packages/embedded/port.ts';
import { waitUntil } from '../../../packages/embedded/wait.ts';
import { createKey } from '../../../src/credits/account/key-life.ts';
import { type Mongo, openMongo } from '../../../src/mongo.ts';
import { ensureIndexes } from '../../../src/store/mongo/indexes.ts';
import { seedBrief, seed as seedCorpus } from '../../api/corpus.ts';
import { openWorld, type World } from '../../world.ts';
import { call, callAll, countsOf, percentile } from '../harness/caller.ts';
import { openChildren } from '../harness/child.ts';
import { type OwnServer, openOwnServer } from '../harness/own-server.ts';
import { scenario } from '../harness/scenario.ts';
import { exactBooks } from './books.ts';

const PATHS = ['/v1/funds', '/v1/stocks/AAPL/capital-change-brief'];
const BACK_MS = 60_000;
const CALM = 200;

let server: OwnServer;
let world: World;
let mongo: Mongo;
const children = openChildren();

beforeEach(async () => {
  server = await openOwnServer('mongo');
  world = await openWorld({
    MONGO_URL: server.url,
    PORT: String(await freePort()),
    RATE_LIMIT_PER_SECOND: '0',
    SHED_LOOP_DELAY_MS: '0',
  });
  mongo = await openMongo(server.url, world.config.mongoDb);
  await ensureIndexes(mongo.db);
  await seedCorpus(mongo.db);
  await seedBrief(mongo.db, 'AAPL', 'x');
}, 120_000);
afterEach(async () => {
  children.killAll();
  await mongo.client.close();
  await world.close();
  await server.close();
});

scenario(
  'T07',
  'a MongoDB that is killed under load costs 503s and no credit',
  async (run) => {
    const { key, orgId } = await createKey(
      { ...world.store, db: mongo.db },
      { orgName: 'One', credits: 1e6, label: '' },
    );
    const api = children.start(['serve'], world.env);
    await api.until('listens');
    const order = (n: number) => ({ url: `http://127.0.0.1:${world.config.port}${PATHS[n % 2]}`, key });
    let isOver = false;
    const load = callAll({ more: (n) => n < CALM || !isOver, atOnce: 8 }, (n) => call(order(n)));
    const awayMs = run.isLong ? 60_000 : 4_000;
    await server.kill();
    await sleep(awayMs);
    await server.restart();
    const started = performance.now();
    expect(await waitUntil(async () => (await call(order(0))).status === 200, BACK_MS)).toBe(true);
    const backAfter = Math.round(performance.now() - started);
    isOver = true;
    const receipts = await load;

    expect(api.hasEnded()).toBe(false);
    const refused = receipts.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.filter(({ status, charged }) => status !== 503 || charged !== 0)).toEqual([]);
    const charged = receipts.reduce((sum, receipt) => sum + receipt.charged, 0);
    const books = await exactBooks({ ...world.store, db: mongo.db }, orgId);
    run.measured({
      ...countsOf(receipts),
      'away s': awayMs / 1_000,
      'p99 ms': percentile(receipts, 0.99),
      'back after ms': backAfter,
    });
    // The one call that was answered when MongoDB was back is not among them.
    expect(books.spent).toBe(charged + 1);
  },
  { timeoutMs: 400_000 },
);
