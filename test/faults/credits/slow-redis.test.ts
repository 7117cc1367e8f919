// @module-tag long

import { beforeAll, expect } from 'vitest';
import { waitUntil } from '../../../packages/embedded/wait.ts';
import { openCreditsRedis } from '../../../src/redis.ts';
import { startApi } from '../../../src/serve.ts';
import { seedBrief, seed as seedCorpus } from '../../api/corpus.ts';
import { openStage } from '../../api/stage.ts';
import { opened } from '../../opened.ts';
import { call, callAll, countsOf, percentile, type Receipt } from '../harness/caller.ts';
import { proxyTo } from '../harness/proxy.ts';
import { scenario } from '../harness/scenario.ts';
import { exactBooks } from './books.ts';

const GRANT = 1_000_000;
/** The deadline of a call is 3 s, and it is a moment until it is seen to have passed. */
const ANSWER_MS = 4_000;
const LATE_MS = 1_000;
const RECOVERY_MS = 10_000;
const BACK_MS = 60_000;

const stage = opened(() => openStage({ RATE_LIMIT_PER_SECOND: '0' }));

beforeAll(async () => {
  await seedCorpus(stage.world.mongo.db);
  await seedBrief(stage.world.mongo.db, 'AAPL', 'x');
});

const slowest = (receipts: readonly Receipt[]): number => Math.max(...receipts.map(({ ms }) => ms));

scenario('T15', 'latency, cuts and lost routes to Redis end in an answer or a 503 in time', async (run) => {
  const { world } = stage;
  const proxy = await proxyTo(new URL(world.config.creditsRedisUrl ?? ''));
  const redis = openCreditsRedis(proxy.url);
  await redis.connect();
  const api = await startApi({ ...world.context, creditsRedis: redis });
  const { key, orgId } = await stage.newKey(GRANT);
  const url = `http://127.0.0.1:${api.port}/v1/stocks/AAPL/capital-change-brief`;
  const all: Receipt[] = [];
  const ask = async () => {
    const receipt = await call({ url, key });
    all.push(receipt);
    return receipt;
  };
  const load = (calls: number) => callAll({ more: (n) => n < calls, atOnce: 16 }, ask);
  /** Milliseconds until calls are answered again. */
  const untilBack = async (): Promise<number> => {
    const started = performance.now();
    await waitUntil(async () => (await ask()).status === 200, BACK_MS);
    return Math.round(performance.now() - started);
  };

  const calm = await load(run.isLong ? 2_000 : 200);
  proxy.play({ delayMs: 150 });
  const late = await load(run.isLong ? 2_000 : 200);

  proxy.play({ dropsReply: () => run.random(20) === 0 });
  await load(run.isLong ? 4_000 : 200);
  proxy.play({});
  await untilBack();

  // Neither end is told: only a time limit of the client finds it out.
  proxy.loseRoutes();
  const briefId = await seedBrief(world.mongo.db, 'AAPL', 'y', 2);
  const started = performance.now();
  await load(32);
  await untilBack();
  const backAfter = Math.round(performance.now() - started);
  // The brief was announced to nobody: the connection that only listens finds its route lost too.
  expect(await waitUntil(async () => (await ask()).body.includes(briefId), BACK_MS)).toBe(true);
  const shownAfter = Math.round(performance.now() - started);

  expect(all.every(({ status }) => status === 200 || status === 503)).toBe(true);
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
    'new brief after ms': shownAfter,
  });
  expect(percentile(late, 0.99)).toBeLessThan(run.within(LATE_MS));
  expect(slowest(all)).toBeLessThan(run.within(ANSWER_MS));
  expect(backAfter).toBeLessThan(run.within(RECOVERY_MS));
  expect(books.spent).toBe(charged);
});
