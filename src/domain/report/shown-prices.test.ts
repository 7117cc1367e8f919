import fc from 'fast-check';
import { expect, it } from 'vitest';
import { emptyNames } from '../columns/room.ts';
import type { Cik, Cusip } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import { rememberingShownPrices, type ShownRow, shownQuarter } from './shown-quarter.ts';

const CIKS = Array.from({ length: 7 }, (_, at) => String(at + 1) as Cik);

/** Most rows give a price, and most prices agree. */
const row: fc.Arbitrary<ShownRow> = fc.record({
  cusip: fc.constantFrom('A', 'B', 'C') as fc.Arbitrary<Cusip>,
  issuer: fc.constant('ONE'),
  amount: fc.constantFrom(100n, 100n, 101n, 200n),
  valueCents: fc.constantFrom(50_000n, 50_000n, 50_500n, 100_000n),
  priorAmount: fc.constantFrom(0n, 100n),
  reasons: fc.oneof(
    { weight: 5, arbitrary: fc.constant<readonly Reason[]>([]) },
    { weight: 1, arbitrary: fc.constant<readonly Reason[]>(['cusip_checksum_failed']) },
  ),
});
const rows = fc.uniqueArray(row, { selector: ({ cusip }) => cusip, minLength: 2, maxLength: 3 });
const step = fc.record({
  cik: fc.constantFrom(...CIKS),
  rows: fc.option(rows, { freq: 3 }),
  counting: fc.subarray(CIKS, { minLength: 4 }),
  isRead: fc.boolean(),
});
const market = fc.tuple(
  fc.array(rows, { minLength: CIKS.length, maxLength: CIKS.length }),
  fc.array(step, { maxLength: 12 }),
);

it('prices that are remembered are those of all rows, whatever comes, goes, or counts no more', () => {
  let priced = 0;
  const holds = fc.property(market, ([first, steps]) => {
    const names = emptyNames();
    const quarter = shownQuarter(names);
    const remembered = rememberingShownPrices();
    for (const [at, cik] of CIKS.entries()) quarter.put({ cik, rows: first[at] ?? [] });
    for (const { cik, rows: own, counting, isRead } of steps) {
      if (own === null) quarter.drop(cik);
      else quarter.put({ cik, rows: own });
      if (!isRead) continue;
      const prices = remembered(quarter, { names, managers: counting });
      expect(prices).toEqual(rememberingShownPrices()(quarter, { names, managers: counting }));
      priced += prices.length;
    }
  });
  fc.assert(holds, { numRuns: 500 });
  expect(priced).toBeGreaterThan(500);
});

it('a price follows the managers that count, and comes back with them', () => {
  const names = emptyNames();
  const quarter = shownQuarter(names);
  const remembered = rememberingShownPrices();
  const put = (cik: Cik): void => {
    const held = { cusip: 'A' as Cusip, issuer: 'ONE', amount: 100n, valueCents: 50_000n, priorAmount: 0n };
    quarter.put({ cik, rows: [{ ...held, reasons: [] }] });
  };
  const filers = (managers: readonly Cik[]) => remembered(quarter, { names, managers })[0]?.[1].filers;
  for (const cik of CIKS) put(cik);
  expect(filers(CIKS)).toBe(7);
  expect(filers(CIKS.slice(0, 4))).toBe(4);
  expect(filers(CIKS.slice(0, 2))).toBeUndefined();
  expect(filers(CIKS)).toBe(7);
  quarter.drop(CIKS[0] as Cik);
  expect(filers(CIKS)).toBe(6);
  put(CIKS[0] as Cik);
  expect(filers(CIKS)).toBe(7);
  quarter.reserve(1_000);
  expect(filers(CIKS.slice(1))).toBe(6);
});
