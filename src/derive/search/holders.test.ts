import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { emptyNames } from '../../domain/columns/room.ts';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import { type ShownRow, shownQuarter } from '../../domain/report/shown-quarter.ts';
import type { QuarterHolders } from '../../domain/search/holders.ts';
import { rememberingHolders } from './holders.ts';

const CIKS = ['1', '2', '3', '4'] as Cik[];
const quarterEnd = '2023-09-30' as QuarterEnd;

const row: fc.Arbitrary<ShownRow> = fc.record({
  cusip: fc.constantFrom('A', 'B', 'C', 'D', 'E') as fc.Arbitrary<Cusip>,
  issuer: fc.constantFrom('ONE INC', 'ONE, INC.', 'ANOTHER'),
  amount: fc.bigInt({ min: 0n, max: 2n }),
  valueCents: fc.constant(500n),
  priorAmount: fc.constant(1n),
  reasons: fc.constant([]),
});
const rows = fc.uniqueArray(row, { selector: ({ cusip }) => cusip });

/** A report that comes or goes (null), and who reported nothing later from then on. */
const step = fc.record({
  cik: fc.constantFrom(...CIKS),
  rows: fc.option(rows),
  last: fc.subarray(CIKS),
  isCounted: fc.boolean(),
});

it('what is remembered of a quarter is what a first count of its reports finds', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const names = emptyNames();
      const quarter = shownQuarter(names);
      const remember = rememberingHolders();
      let before: QuarterHolders[] = [];
      for (const { cik, rows: own, last, isCounted } of steps) {
        if (own === null) quarter.drop(cik);
        else quarter.put({ cik, rows: own });
        if (!isCounted) continue;
        const of = { names, quarterEnd, last };
        const held = remember(quarter, of);
        expect(held).toEqual(rememberingHolders()(quarter, of));
        for (const one of held) {
          const equal = before.find((other) => isDeepStrictEqual(one, other));
          if (equal !== undefined) expect(one).toBe(equal);
        }
        before = held;
      }
    }),
  );
});

it('counts holders, and those of them that reported nothing later, by the usual spelling', () => {
  const names = emptyNames();
  const quarter = shownQuarter(names);
  const held = (cusip: string, issuer: string, amount = 1n): ShownRow => ({
    ...{ cusip: cusip as Cusip, issuer, amount, valueCents: 500n, priorAmount: 1n, reasons: [] },
  });
  quarter.put({ cik: '1' as Cik, rows: [held('B', 'ONE INC'), held('A', 'ANOTHER', 0n)] });
  quarter.put({ cik: '2' as Cik, rows: [held('B', 'ONE INC')] });
  const count = rememberingHolders();
  const b = {
    cusip: 'B',
    quarterEnd,
    holders: 2,
    last: 1,
    spellings: [['ONE INC', { holders: 2, last: 1 }]],
  };
  expect(count(quarter, { names, quarterEnd, last: ['2' as Cik] })).toEqual([b]);
  quarter.drop('2' as Cik);
  expect(count(quarter, { names, quarterEnd, last: ['1' as Cik] })).toMatchObject([{ holders: 1, last: 1 }]);
});
