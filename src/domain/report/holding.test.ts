import { expect, it } from 'vitest';
import { diffReports } from '../change/diff.ts';
import { APPLE, GOOGL, SPY, sampleFiling, sampleRow } from '../filing/filing.sample.ts';
import type { InfoTableRow } from '../filing/filing.ts';
import type { Cusip, QuarterEnd } from '../ids.ts';
import { foldReport } from './fold.ts';
import { aumCents, equityCount, equityOf, excludedTotals, inDisplayOrder } from './holding.ts';

const MSFT = '594918104' as Cusip;
const TESLA = '88160R101' as Cusip;

function report(quarterEnd: string, rows: InfoTableRow[]) {
  const folded = foldReport([sampleFiling({ quarterEnd: quarterEnd as QuarterEnd, rows })]);
  if (!folded) throw new Error('a filing folds to a report');
  return folded;
}

it('holdings are shown by value, then exits by prior value, then by CUSIP', () => {
  const now = report('2024-06-30', [
    sampleRow({ cusip: SPY, value: 5n }),
    sampleRow({ cusip: APPLE, value: 5n }),
    sampleRow({ cusip: MSFT, value: 9n }),
  ]);
  const before = report('2024-03-31', [
    sampleRow({ cusip: GOOGL, value: 70n }),
    sampleRow({ cusip: TESLA, value: 80n }),
    sampleRow({ cusip: SPY, value: 900n }),
  ]);
  const shown = inDisplayOrder(diffReports(now, before).changes);
  expect(shown.map(({ cusip }) => cusip)).toEqual([MSFT, APPLE, SPY, TESLA, GOOGL]);
});

it('options and principal are excluded from equity and have their own totals', () => {
  const mixed = report('2024-06-30', [
    sampleRow({ value: 10n }),
    sampleRow({ putCall: 'PUT', value: 300n }),
    sampleRow({ putCall: 'CALL', value: 400n }),
    sampleRow({ amountType: 'PRN', value: 5_000n }),
    sampleRow({ cusip: GOOGL, value: 20n }),
  ]);
  expect(aumCents(mixed)).toBe(3_000n);
  expect(equityCount(mixed)).toBe(2);
  expect(equityOf(diffReports(mixed, null).changes).map(({ cusip }) => cusip)).toEqual([GOOGL, APPLE]);
  expect(excludedTotals(mixed)).toEqual({
    options: { rows: 2, valueCents: 70_000n },
    principal: { rows: 1, valueCents: 500_000n },
  });
});

it('a position at an implausible price is not in AUM', () => {
  const plain = report('2024-06-30', [sampleRow({ value: 10n }), sampleRow({ cusip: GOOGL, value: 20n })]);
  const positions = plain.positions.map((position) =>
    position.cusip === GOOGL ? { ...position, reasons: ['implied_price_outlier' as const] } : position,
  );
  expect(aumCents({ positions })).toBe(1_000n);
});
