import { afterAll, beforeAll, expect } from 'vitest';
import { countsOf, percentile, type Receipt } from '../harness/caller.ts';
import { longScenario } from '../harness/scenario.ts';
import { after, BRIEF, customers, flood, openServed, type Served } from './served.ts';

const LIMIT = 20;
const BURST = 5_000;
const CUSTOMERS = 8;
const ROUNDS = 4;
const ROUND_MS = 5_000;

let served: Served;
beforeAll(async () => {
  served = await openServed({ RATE_LIMIT_PER_SECOND: String(LIMIT), RATE_LIMIT_BURST: String(BURST) });
});
afterAll(() => served.close());

longScenario('L06', 'one key at 50 times its limit leaves the p99 of other keys as it was', async (run) => {
  const url = `${served.origin}${BRIEF}`;
  const { key: greedy } = await served.newKey();
  const keys = await Promise.all(Array.from({ length: CUSTOMERS }, async () => (await served.newKey()).key));
  // Uses up the burst. The customers never come to the end of theirs.
  const warm = flood({ url, key: greedy, connections: 64 });
  await customers(url, keys, after(ROUND_MS));
  await warm.stop();
  const [quiet, loud]: [Receipt[], Receipt[]] = [[], []];
  const seen: Record<string, number> = {};
  // In turns, so that a busy machine slows both in the same way.
  for (let round = 0; round < ROUNDS; round += 1) {
    quiet.push(...(await customers(url, keys, after(ROUND_MS))));
    const load = flood({ url, key: greedy, connections: 64 }, 50 * LIMIT);
    await customers(url, keys, after(1_000));
    loud.push(...(await customers(url, keys, after(ROUND_MS))));
    for (const [status, count] of Object.entries(await load.stop())) {
      seen[status] = (seen[status] ?? 0) + count;
    }
  }
  const figures = {
    'quiet p50 ms': percentile(quiet, 0.5),
    'quiet p99 ms': percentile(quiet, 0.99),
    'loud p50 ms': percentile(loud, 0.5),
    'loud p99 ms': percentile(loud, 0.99),
  };
  run.measured({ ...figures, calls: quiet.length + loud.length, greedy: JSON.stringify(seen) });
  expect(countsOf([...quiet, ...loud])).toEqual({ 200: quiet.length + loud.length });
  expect(figures['loud p99 ms']).toBeLessThanOrEqual(figures['quiet p99 ms'] * 1.2 + 1);
});
