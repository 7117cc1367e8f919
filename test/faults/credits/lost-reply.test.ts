// @module-tag long

import { beforeAll, expect } from 'vitest';
import { openCreditsRedis } from '../../../src/redis.ts';
import { startApi } from '../../../src/serve.ts';
import { seedBrief, seed as seedCorpus } from '../../api/corpus.ts';
import { openStage } from '../../api/stage.ts';
import { opened } from '../../opened.ts';
import { call, callAll, countsOf, percentile } from '../harness/caller.ts';
import { proxyTo } from '../harness/proxy.ts';
import { scenario } from '../harness/scenario.ts';
import { exactBooks } from './books.ts';

const PRICE = 10;
const GRANT = 1_000_000;

const stage = opened(() => openStage({ RATE_LIMIT_PER_SECOND: '0' }));

beforeAll(async () => {
  await seedCorpus(stage.world.mongo.db);
  await seedBrief(stage.world.mongo.db, 'AAPL', 'x');
});

scenario('T04', 'lost replies charge no call twice, and every charge has its answer', async (run) => {
  const { world } = stage;
  const proxy = await proxyTo(new URL(world.config.creditsRedisUrl ?? ''));
  const redis = openCreditsRedis(proxy.url);
  await redis.connect();
  const api = await startApi({ ...world.context, creditsRedis: redis });
  const { key, orgId } = await stage.newKey(GRANT);
  const url = `http://127.0.0.1:${api.port}/v1/stocks/AAPL/capital-change-brief`;
  expect(await call({ url, key })).toMatchObject({ status: 200, charged: PRICE });

  const wanted = run.isLong ? 100 : 12;
  let dropped = 0;
  proxy.play({
    dropsReply: () => {
      const isDropped = run.random(20) === 0;
      if (isDropped) dropped += 1;
      return isDropped;
    },
  });
  const receipts = await callAll({ more: () => dropped < wanted, atOnce: 32 }, () => call({ url, key }));
  proxy.play({});
  // Closing waits for the charges that are still to be voided.
  await api.close();
  redis.disconnect();
  proxy.close();

  const answered = receipts.filter(({ status }) => status === 200);
  const books = await exactBooks(world.store, orgId);
  run.measured({ ...countsOf(receipts), dropped, voids: books.voids, 'p99 ms': percentile(receipts, 0.99) });
  expect(receipts.every(({ status }) => status === 200 || status === 503)).toBe(true);
  expect(books.spent).toBe((answered.length + 1) * PRICE);
});
