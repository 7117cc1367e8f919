import { afterAll, beforeAll, expect } from 'vitest';
import { openService, type Service } from '../credits/service.ts';
import { countsOf, percentile, type Receipt } from '../harness/caller.ts';
import { longScenario } from '../harness/scenario.ts';
import { customers, type Flooded, flood, together } from './flood.ts';

const PATH = '/v1/stocks/AAPL/capital-change-brief';
const GRANT = 100_000_000;
const LIMIT = 20;
const BURST = 200;
const CUSTOMERS = 8;
const ROUNDS = 4;
const ROUND_MS = 5_000;

let service: Service;
beforeAll(async () => {
  service = await openService({ RATE_LIMIT_PER_SECOND: String(LIMIT), RATE_LIMIT_BURST: String(BURST) });
  await service.untilUp();
});
afterAll(() => service.close());

longScenario('L06', 'one key at 50 times its limit leaves the p99 of other keys as it was', async (run) => {
  const url = `${service.apis[0]?.origin}${PATH}`;
  const { key: greedy } = await service.newKey(GRANT);
  const keys: string[] = [];
  for (let n = 0; n < CUSTOMERS; n += 1) keys.push((await service.newKey(GRANT)).key);
  const floods: Flooded[] = [];
  // Until its burst is used up. The customers ask too slowly for that.
  while (together(floods).statuses['429'] === undefined) {
    const warm = flood({ url, key: greedy, connections: 32 });
    await customers(url, keys, ROUND_MS);
    floods.push(await warm.stop());
  }
  const [quiet, loud]: [Receipt[], Receipt[]] = [[], []];
  // In turns, so that a busy machine slows both in the same way.
  for (let round = 0; round < ROUNDS; round += 1) {
    quiet.push(...(await customers(url, keys, ROUND_MS)));
    const load = flood({ url, key: greedy, connections: 32 }, 50 * LIMIT);
    await customers(url, keys, 1_000);
    loud.push(...(await customers(url, keys, ROUND_MS)));
    floods.push(await load.stop());
  }
  const figures = {
    'quiet p50 ms': percentile(quiet, 0.5),
    'quiet p99 ms': percentile(quiet, 0.99),
    'loud p50 ms': percentile(loud, 0.5),
    'loud p99 ms': percentile(loud, 0.99),
  };
  const { statuses } = together(floods);
  run.measured({
    ...figures,
    calls: quiet.length + loud.length,
    greedy: JSON.stringify(statuses).replaceAll('"', ''),
  });
  expect(countsOf([...quiet, ...loud])).toEqual({ 200: quiet.length + loud.length });
  expect(figures['loud p99 ms']).toBeLessThanOrEqual(figures['quiet p99 ms'] * 1.2 + 1);
});
