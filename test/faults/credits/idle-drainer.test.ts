// @module-tag long

import { beforeAll, expect } from 'vitest';
import { redisKeys } from '../../../src/credits/redis-keys.ts';
import { seedBrief, seed as seedCorpus } from '../../api/corpus.ts';
import { openStage } from '../../api/stage.ts';
import { opened } from '../../opened.ts';
import { call, callAll, countsOf } from '../harness/caller.ts';
import { scenario } from '../harness/scenario.ts';
import { exactBooks } from './books.ts';

const CAP = 500;
const PRICE = 10;
const GRANT = 1_000_000;

const stage = opened(() => openStage({ RATE_LIMIT_PER_SECOND: '0', CREDITS_EXPOSURE_PER_ORG: String(CAP) }));

beforeAll(async () => {
  await seedCorpus(stage.world.mongo.db);
  await seedBrief(stage.world.mongo.db, 'AAPL', 'x');
});

scenario(
  'L07',
  'while the ledger is not drained calls are charged up to the cap, and go on after it',
  async (run) => {
    const { credits, creditsTag, store } = stage.world;
    const keys = redisKeys(creditsTag);
    const { key, orgId } = await stage.newKey(GRANT);
    const url = `${stage.origin}/v1/stocks/AAPL/capital-change-brief`;
    const atRisk = async () => Number(await credits.hget(keys.org(orgId), 'und'));
    // While a process that does nothing holds the lease, nobody drains; its holder finds out within a second.
    await credits.set(keys.drainer, 'nobody');
    const wanted = run.isLong ? 2_000 : 200;
    let inRow = 0;
    const receipts = await callAll({ more: () => inRow < wanted, atOnce: 16 }, async () => {
      const receipt = await call({ url, key });
      inRow = receipt.status === 503 ? inRow + 1 : 0;
      expect(await atRisk()).toBeLessThanOrEqual(CAP);
      return receipt;
    });
    const { 200: served = 0, 503: refused = 0, ...others } = countsOf(receipts);
    run.measured({ 200: served, 503: refused, 'at risk': await atRisk() });
    expect(others).toEqual({});
    expect(await atRisk()).toBe(CAP);
    await credits.del(keys.drainer);
    await expect.poll(async () => (await call({ url, key })).status).toBe(200);
    expect((await exactBooks(store, orgId)).spent).toBe((served + 1) * PRICE);
  },
);
