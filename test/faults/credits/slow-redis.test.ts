import { afterAll, beforeAll, expect } from 'vitest';
import { waitUntil } from '../../../src/embedded/wait.ts';
import { openCreditsRedis } from '../../../src/redis.ts';
import { startApi } from '../../../src/serve.ts';
import { seedBrief, seed as seedCorpus } from '../../api/corpus.ts';
import { openStage, type Stage } from '../../api/stage.ts';
import { call, callAll, countsOf, percentile, type Receipt } from '../harness/caller.ts';
import { proxyTo } from '../harness/proxy.ts';
import { scenario } from '../harness/scenario.ts';
import { exactBooks } from './books.ts';

const PRICE = 10;
const GRANT = 1_000_000;
/** The deadline of a call is 3 s; a busy machine is late to see it pass. */
const ANSWER_MS = 6_000;
const RECOVERY_MS = 10_000;

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({ RATE_LIMIT_PER_SECOND: '0' });
  await seedCorpus(stage.world.mongo.db);
  await seedBrief(stage.world.mongo.db, 'AAPL', 'x');
});
afterAll(() => stage.close());

const slowest = (receipts: readonly Receipt[]): number => Math.max(...receipts.map(({ ms }) => ms));
const statusesOf = (receipts: readonly Receipt[]): number[] => [
  ...new Set(receipts.map(({ status }) => status)),
];

scenario('T15', 'latency, cuts and lost routes to Redis end in an answer or a 503 in time', async (run) => {
  const { world } = stage;
  const proxy = await proxyTo(new URL(world.config.creditsRedisUrl ?? ''));
  const redis = openCreditsRedis(proxy.url);
  await redis.connect();
  const api = await startApi({ ...world.context, creditsRedis: redis });
  const { key, orgId } = await stage.newKey(GRANT);
  const url = `http://127.0.0.1:${api.port}/v1/stocks/AAPL/capital-change-brief`;
  const load = (calls: number) => callAll({ more: (n) => n < calls, atOnce: 16 }, () => call({ url, key }));
  const isBack = async () => (await call({ url, key })).status === 200;

  const calm = await load(run.isLong ? 2_000 : 200);
  proxy.play({ delayMs: 150 });
  const late = await load(run.isLong ? 2_000 : 200);
  expect(statusesOf(late)).toEqual([200]);
  expect(percentile(late, 0.99)).toBeLessThan(1_000);

  proxy.play({ dropsReply: () => run.random(20) === 0 });
  const cut = await load(run.isLong ? 4_000 : 200);
  proxy.play({});
  expect(await waitUntil(isBack, RECOVERY_MS)).toBe(true);

  // Neither end is told: only a time limit of the client finds it out.
  proxy.loseRoutes();
  const started = performance.now();
  const mute = await load(32);
  expect(await waitUntil(isBack, RECOVERY_MS)).toBe(true);
  const backAfter = Math.round(performance.now() - started);

  const all = [...calm, ...late, ...cut, ...mute];
  expect(all.every(({ status }) => status === 200 || status === 503)).toBe(true);
  expect(slowest(all)).toBeLessThan(ANSWER_MS);
  await api.close();
  redis.disconnect();
  proxy.close();
  const books = await exactBooks(world.store, orgId);
  const charged = all.reduce((sum, receipt) => sum + receipt.charged, 0);
  run.measured({
    ...countsOf(all),
    'p99 ms calm': percentile(calm, 0.99),
    'p99 ms late': percentile(late, 0.99),
    'slowest ms': Math.round(slowest(all)),
    'back after ms': backAfter,
  });
  // The calls that asked whether it is back were charged too.
  expect(books.spent % PRICE).toBe(0);
  expect(books.spent - charged).toBeLessThanOrEqual(2 * PRICE);
});
