import { afterAll, beforeAll, expect } from 'vitest';
import { exactBooks } from '../credits/books.ts';
import { percentile, type Receipt } from '../harness/caller.ts';
import { longScenario } from '../harness/scenario.ts';
import { after, customers, flood, openServed, type Served } from './served.ts';

/** Reads MongoDB, so that it is dear. */
const PATH = '/v1/funds?limit=100';
const NORMAL_MS = 10_000;
const OVERLOAD_MS = 60_000;
const CUSTOMERS = 4;
const FLOODS = 5;

let served: Served;
beforeAll(async () => {
  served = await openServed({ RATE_LIMIT_PER_SECOND: '0', MAX_IN_FLIGHT: '200' });
});
afterAll(() => served.close());

/** Whether a refusal says when to come back. */
async function saysWhen(url: string, key: string): Promise<boolean> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status === 200 || answer.headers.has('retry-after');
}

const servedOf = (receipts: readonly Receipt[]): Receipt[] => receipts.filter(({ status }) => status === 200);

longScenario(
  'L02',
  'beyond its capacity it refuses, uncharged and with Retry-After, and recovers',
  async (run) => {
    const url = `${served.origin}${PATH}`;
    const made = await Promise.all(Array.from({ length: CUSTOMERS }, () => served.newKey()));
    const keys = made.map(({ key }) => key);
    const normal = await customers(url, keys, after(NORMAL_MS));
    const greedy = await Promise.all(Array.from({ length: FLOODS }, () => served.newKey()));
    const floods = greedy.map(({ key }) => flood({ url, key, connections: 100 }));
    const loaded = await customers(url, keys, after(OVERLOAD_MS));
    const isSaid = await Promise.all(greedy.map(({ key }) => saysWhen(url, key)));
    const seen: Record<string, number> = {};
    for (const statuses of await Promise.all(floods.map(({ stop }) => stop()))) {
      for (const [status, count] of Object.entries(statuses)) seen[status] = (seen[status] ?? 0) + count;
    }
    const recovered = await customers(url, keys, after(NORMAL_MS));
    run.measured({
      'normal p99 ms': percentile(normal, 0.99),
      'accepted p99 ms': percentile(servedOf(loaded), 0.99),
      'afterwards p99 ms': percentile(recovered, 0.99),
      'customers served': `${servedOf(loaded).length} of ${loaded.length}`,
      flood: JSON.stringify(seen),
    });
    const statuses = new Set([...Object.keys(seen), ...loaded.map(({ status }) => String(status))]);
    expect([...statuses].filter((status) => !['200', '429', '503'].includes(status))).toEqual([]);
    expect(statuses).toContain('503');
    expect(isSaid).not.toContain(false);
    expect(servedOf(recovered.slice(-10))).toHaveLength(10);
    const books = await Promise.all(
      made.map(({ orgId }) => exactBooks(served.world.credits, served.world.creditsTag, orgId)),
    );
    const spent = books.reduce((sum, book) => sum + book.spent, 0);
    expect(spent).toBe(servedOf([...normal, ...loaded, ...recovered]).length);
  },
);
