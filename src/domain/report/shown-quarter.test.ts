import fc from 'fast-check';
import { expect, it } from 'vitest';
import { emptyNames } from '../columns/room.ts';
import { compare } from '../compare.ts';
import type { Cik, Cusip } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import { priceSecurities } from './implied-price.sample.ts';
import { HELD, isHeld, rememberingShownPrices, type ShownRow, shownQuarter } from './shown-quarter.ts';

const row: fc.Arbitrary<ShownRow> = fc.record({
  cusip: fc.constantFrom('A', 'B', 'C') as fc.Arbitrary<Cusip>,
  issuer: fc.constantFrom('ONE', 'ANOTHER'),
  amount: fc.constantFrom(0n, 100n, 101n, 1_000n, 10n ** 17n),
  valueCents: fc.constantFrom(0n, 50_000n, 50_500n, 500_000n, 10n ** 19n),
  priorAmount: fc.constantFrom(0n, 100n, 1_000n),
  reasons: fc.constantFrom<readonly Reason[]>(
    [],
    ['split_suspected'],
    ['cusip_checksum_failed'],
    ['implied_price_outlier'],
    ['supplement_without_base'],
  ),
});
const reports = fc.array(fc.uniqueArray(row, { selector: ({ cusip }) => cusip }), { maxLength: 9 });

it('columns price and count what lists of rows do, of the chosen managers alone (rules 4.2 and 9.2)', () => {
  fc.assert(
    fc.property(reports, (all) => {
      const names = emptyNames();
      const quarter = shownQuarter(names);
      const filed = all.map((rows, at) => ({ cik: String(at + 1) as Cik, rows }));
      for (const report of filed) quarter.put(report);
      const managers = filed.filter((_, at) => at % 4 !== 3).map(({ cik }) => cik);
      const chosen = filed.filter(({ cik }) => managers.includes(cik));
      const expected = priceSecurities(
        chosen.flatMap(({ cik, rows }) => rows.map((one) => ({ cik, ...one }))),
      );
      const found = rememberingShownPrices()(quarter, { names, managers });
      expect(found.sort(([a], [b]) => compare(a, b))).toEqual(expected);
      const { flags, security } = quarter.columns();
      for (const [at, { cik, rows }] of filed.entries()) {
        const { from, to } = quarter.rangeOf(at);
        expect(names.managers.textOf(at)).toBe(cik);
        const held = Array.from({ length: to - from }, (_, place) => from + place).filter(
          (place) => ((flags[place] as number) & HELD) !== 0,
        );
        const cusips = held.map((place) => names.securities.textOf(security[place] as number));
        expect(cusips).toEqual(rows.filter(isHeld).map(({ cusip }) => cusip));
      }
    }),
    { numRuns: 500 },
  );
});
