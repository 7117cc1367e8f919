import { afterAll, beforeAll, expect } from 'vitest';
import { exactBooks } from '../credits/books.ts';
import { openService, type Service } from '../credits/service.ts';
import { percentile, type Receipt } from '../harness/caller.ts';
import { longScenario } from '../harness/scenario.ts';
import { customers, flood, together } from './flood.ts';

/** Reads MongoDB, so that it is dear. */
const PATH = '/v1/funds?limit=100';
const GRANT = 100_000_000;
const NORMAL_MS = 10_000;
const OVERLOAD_MS = 60_000;
const CUSTOMERS = 4;
const FLOODS = 5;

let service: Service;
beforeAll(async () => {
  service = await openService({
    RATE_LIMIT_PER_SECOND: '0',
    MAX_IN_FLIGHT: '200',
    MAX_CONNECTIONS_PER_ADDRESS: '10000',
  });
  await service.untilUp();
});
afterAll(() => service.close());

const servedOf = (receipts: readonly Receipt[]): Receipt[] => receipts.filter(({ status }) => status === 200);
const newKeys = (count: number) => Promise.all(Array.from({ length: count }, () => service.newKey(GRANT)));

longScenario(
  'L02',
  'beyond its capacity it refuses, uncharged and with Retry-After, and recovers',
  async (run) => {
    const url = `${service.apis[0]?.origin}${PATH}`;
    const made = await newKeys(CUSTOMERS);
    const keys = made.map(({ key }) => key);
    const normal = await customers(url, keys, NORMAL_MS);
    const floods = (await newKeys(FLOODS)).map(({ key }) => flood({ url, key, connections: 100 }));
    const loaded = await customers(url, keys, OVERLOAD_MS);
    const flooded = together(await Promise.all(floods.map(({ stop }) => stop())));
    const recovered = await customers(url, keys, NORMAL_MS);
    run.measured({
      'normal p99 ms': percentile(normal, 0.99),
      'accepted p99 ms': percentile(servedOf(loaded), 0.99),
      'afterwards p99 ms': percentile(recovered, 0.99),
      'customers served': `${servedOf(loaded).length} of ${loaded.length}`,
      flood: JSON.stringify(flooded.statuses).replaceAll('"', ''),
    });
    const statuses = new Set([
      ...Object.keys(flooded.statuses),
      ...loaded.map(({ status }) => String(status)),
    ]);
    expect([...statuses].filter((status) => !['200', '429', '503'].includes(status))).toEqual([]);
    expect(statuses).toContain('503');
    expect(flooded.withoutRetryAfter).toBe(0);
    expect(servedOf(recovered.slice(-10))).toHaveLength(10);
    let spent = 0;
    for (const { orgId } of made) spent += (await exactBooks(service.store, orgId)).spent;
    expect(spent).toBe(servedOf([...normal, ...loaded, ...recovered]).length);
  },
);
