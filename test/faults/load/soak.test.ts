import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { seedBrief } from '../../api/corpus.ts';
import { addPending, sequencingIn, untilSequenced } from '../../flow/sequencing.ts';
import { exactBooks } from '../credits/books.ts';
import { service, useService } from '../credits/use-service.ts';
import { call, callAll, countsOf, percentile, type Receipt } from '../harness/caller.ts';
import { memoryMb } from '../harness/memory.ts';
import { longScenario } from '../harness/scenario.ts';

useService();

const PATHS = ['/v1/stocks/AAPL/capital-change-brief', '/v1/events?since=50&limit=20', '/v1/funds'];
const MEASURE_MS = 10_000;
const WARM_UP_MS = 60_000;
const SOAK_MS = 300_000;
const SAMPLE_MS = 5_000;
const LANES = 16;
const MAX_MB_A_MINUTE = 1;

/** Calls of one kind after another for so long; with a pace, each lane makes one in every so many ms. */
function load(key: string, forMs: number, paceMs = 0): Promise<Receipt[]> {
  const until = performance.now() + forMs;
  return callAll({ more: () => performance.now() < until, atOnce: LANES }, async (n) => {
    const pause = paceMs === 0 ? null : sleep(paceMs);
    const receipt = await call({ url: `${service.apis[0]?.origin}${PATHS[n % PATHS.length]}`, key });
    await pause;
    return receipt;
  });
}

/** Filings arrive and briefs change while the load runs. */
async function ingestUntil(isOver: () => boolean): Promise<number> {
  const { world } = service;
  const context = sequencingIn(world);
  let filings = 0;
  for (let version = 2; !isOver(); version += 1) {
    await addPending(world, filings, 20);
    await untilSequenced(context).catch(() => undefined);
    await seedBrief(world.mongo.db, 'AAPL', `x${version}`, version);
    filings += 20;
    await sleep(1_000);
  }
  return filings;
}

/** By least squares, in MB a minute. */
function slopeOf(samples: readonly number[]): number {
  const middle = (samples.length - 1) / 2;
  const mean = samples.reduce((sum, one) => sum + one, 0) / samples.length;
  const over = samples.reduce((sum, one, at) => sum + (at - middle) * (one - mean), 0);
  const under = samples.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return (over / under) * (60_000 / SAMPLE_MS);
}

longScenario(
  'L01',
  'at half of its capacity an API keeps its memory and fails no call',
  async (run) => {
    const { key, orgId } = await service.newKey(100_000_000);
    const full = await load(key, MEASURE_MS);
    const paceMs = (2 * LANES * MEASURE_MS) / full.length;
    let isOver = false;
    const ingesting = ingestUntil(() => isOver);
    const soaking = load(key, WARM_UP_MS + SOAK_MS, paceMs);
    await sleep(WARM_UP_MS);
    const samples: number[] = [];
    for (let n = 0; n < SOAK_MS / SAMPLE_MS; n += 1) {
      await sleep(SAMPLE_MS);
      samples.push(memoryMb(service.apis[0]?.pid() ?? 0));
    }
    const receipts = await soaking;
    isOver = true;
    const filings = await ingesting;
    const slope = slopeOf(samples);
    run.measured({
      ...countsOf(receipts),
      filings,
      'calls/s at full': Math.round((full.length * 1_000) / MEASURE_MS),
      'p99 ms at full': percentile(full, 0.99),
      'p99 ms': percentile(receipts, 0.99),
      'MB/min': slope.toFixed(2),
      MB: Math.round(samples.at(-1) ?? 0),
    });
    const all = [...full, ...receipts];
    const due = all.reduce((sum, { charged }) => sum + charged, 0);
    expect(all.every(({ status }) => status === 200)).toBe(true);
    expect((await exactBooks(service.store, orgId)).spent).toBe(due);
    expect(slope).toBeLessThan(MAX_MB_A_MINUTE);
  },
  { timeoutMs: 900_000 },
);
