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
const ROUNDS = 12;
const ROUND_MS = 4_000;
const MAX_RATIO = 1.2;

/** Where the greedy key calls while the others call the first API. */
const TURNS = ['nowhere', 'elsewhere', 'here'] as const;
type Turn = (typeof TURNS)[number];

let service: Service;
beforeAll(async () => {
  service = await openService({ RATE_LIMIT_PER_SECOND: String(LIMIT), RATE_LIMIT_BURST: String(BURST) });
  await service.untilUp();
});
afterAll(() => service.close());

const urlOf = (api: number): string => `${service.apis[api]?.origin}${PATH}`;

/** The load of a greedy key, in one turn: what the others were answered meanwhile. */
async function inTurn(turn: Turn, keys: readonly string[], greedy: string, floods: Flooded[]) {
  const load =
    turn === 'nowhere'
      ? null
      : flood({ url: urlOf(turn === 'here' ? 0 : 1), key: greedy, connections: 32 }, 50 * LIMIT);
  // Until the load has begun.
  await customers(urlOf(0), keys, 1_500);
  const receipts = await customers(urlOf(0), keys, ROUND_MS);
  if (load !== null) floods.push(await load.stop());
  return receipts;
}

const p99 = (receipts: readonly Receipt[]): number => Math.max(1, percentile(receipts, 0.99));

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/**
 * The control is the same load at the other API: it takes as much of the machine, so what differs is what a
 * greedy key does to the others of its API. In turns, because a machine is not equally busy all the time.
 */
longScenario('L06', 'one key at 50 times its limit leaves the p99 of other keys as it was', async (run) => {
  const { key: greedy } = await service.newKey(GRANT);
  const keys: string[] = [];
  for (let n = 0; n < CUSTOMERS; n += 1) keys.push((await service.newKey(GRANT)).key);
  const floods: Flooded[] = [];
  // Until its burst is used up. The customers ask too slowly for that.
  while (together(floods).statuses['429'] === undefined) await inTurn('here', keys, greedy, floods);
  const rounds: Record<Turn, Receipt[]>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const of: Record<Turn, Receipt[]> = { nowhere: [], elsewhere: [], here: [] };
    for (let n = 0; n < TURNS.length; n += 1) {
      const turn = TURNS[(round + n) % TURNS.length] ?? 'here';
      of[turn] = await inTurn(turn, keys, greedy, floods);
    }
    rounds.push(of);
  }
  const ratio = medianOf(rounds.map(({ elsewhere, here }) => p99(here) / p99(elsewhere)));
  const calls = rounds.flatMap((of) => TURNS.flatMap((turn) => of[turn]));
  for (const turn of TURNS) {
    const all = rounds.flatMap((of) => of[turn]);
    const median = medianOf(rounds.map((of) => p99(of[turn])));
    run.measured({ [`p50 ms ${turn}`]: percentile(all, 0.5), [`p99 ms ${turn}`]: median });
  }
  const { statuses } = together(floods);
  run.measured({
    'here to elsewhere': ratio.toFixed(2),
    calls: calls.length,
    greedy: JSON.stringify(statuses).replaceAll('"', ''),
  });
  expect(countsOf(calls)).toEqual({ 200: calls.length });
  expect(ratio).toBeLessThanOrEqual(MAX_RATIO);
});
