import { afterAll, beforeAll, expect, test } from 'vitest';
import { seed, seedBrief } from './corpus.ts';
import { openStage, type Stage } from './stage.ts';

const BRIEF = '/v1/stocks/AAPL/capital-change-brief';
const PRICE = 10;
const CAP = 100;
const CALLS = 25;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ CREDITS_EXPOSURE_PER_ORG: String(CAP), RATE_LIMIT_PER_SECOND: '0' });
  await seed(stage.world.mongo.db);
  await seedBrief(stage.world.mongo.db, 'AAPL', 'x');
});
afterAll(() => stage.close());

test('a customer that spends more at once than may be at risk is served, not refused', async () => {
  const burst = async (): Promise<number> => {
    const { key } = await stage.newKey(CALLS * PRICE);
    const answers = await Promise.all(Array.from({ length: CALLS }, () => stage.get(BRIEF, key)));
    const served = answers.filter(({ status }) => status === 200).length;
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
    expect((await stage.get('/v1/credits', key)).body.data.balance).toBe((CALLS - served) * PRICE);
    return served;
  };
  // On a busy machine MongoDB may be too slow for one of them.
  await expect.poll(burst, { timeout: 60_000 }).toBe(CALLS);
}, 90_000);
