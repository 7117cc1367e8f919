import { expect, it } from 'vitest';
import type { Cik, Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import { type PortfolioRow, type PortfolioSource, portfolioOf } from './portfolio.ts';
import { COPIED_POSITIONS, MIN_POSITIONS } from './thresholds.ts';

const row = (n: number, valueCents: bigint, reasons: PortfolioRow['reasons'] = []): PortfolioRow => ({
  cusip: `X${String(n).padStart(8, '0')}` as Cusip,
  amount: 1n,
  valueCents,
  reasons,
});

const source = (rows: readonly PortfolioRow[], rest: Partial<PortfolioSource> = {}): PortfolioSource => ({
  cik: '0000000001' as Cik,
  quarterEnd: '2018-09-30' as QuarterEnd,
  firstFiled: '2018-11-14' as IsoDate,
  rows,
  holdingsCount: Math.max(rows.length, MIN_POSITIONS),
  equityCents: rows.reduce((sum, { valueCents }) => sum + valueCents, 0n),
  reportedCents: 0n,
  optionCents: 0n,
  reasons: [],
  ...rest,
});

const weights = (rows: readonly PortfolioRow[]) =>
  portfolioOf(source(rows)).copied.map(({ weight }) => weight);

it('weights are in proportion to value, capped at 15 percent of the copied value (rule 9.1)', () => {
  const even = Array.from({ length: 10 }, (_, n) => row(n, 10n));
  expect(new Set(weights(even)).size).toBe(1);
  // 91 of 100 counts 15, the nine others 1 each: 15 of 24 after the cap.
  expect(weights([row(0, 91n), ...Array.from({ length: 9 }, (_, n) => row(n + 1, 1n))])).toEqual([
    1_500n,
    ...Array.from({ length: 9 }, () => 100n),
  ]);
});

it('copies the twenty largest by value, ties by CUSIP, in any order of the rows (rule 9.1)', () => {
  const rows = Array.from({ length: 30 }, (_, n) => row(n, n < 5 ? 100n : 50n));
  const copied = portfolioOf(source(rows)).copied.map(({ cusip }) => cusip);
  expect(copied).toEqual(rows.slice(0, COPIED_POSITIONS).map(({ cusip }) => cusip));
  expect(portfolioOf(source(rows.toReversed()))).toEqual(portfolioOf(source(rows)));
});

it('a row whose CUSIP or amount is in doubt is not copied', () => {
  const copied = portfolioOf(source([row(1, 5n), row(2, 9n, ['cusip_checksum_failed']), row(3, 0n)])).copied;
  expect(copied.map(({ cusip }) => cusip)).toEqual(['X00000001']);
});

it('a late report is not copied, but its lag and its counts are kept (rule 9.1)', () => {
  const late = portfolioOf(source([row(1, 5n)], { firstFiled: '2019-01-02' as IsoDate, reasons: ['late'] }));
  expect(late).toMatchObject({ copied: [], lagDays: 94, holdingsCount: MIN_POSITIONS });
});

it('a report of doubtful scale or mostly options is not copied, but its counts are kept (rule 9.3)', () => {
  const rows = Array.from({ length: 6 }, (_, n) => row(n, 5n));
  const options = portfolioOf(source(rows, { reportedCents: 100n, optionCents: 51n }));
  expect(options).toMatchObject({ copied: [], holdingsCount: 6, top10Weight: 1_000_000_000n });
  expect(portfolioOf(source(rows, { reasons: ['scale_unverified'] })).copied).toEqual([]);
  expect(portfolioOf(source(rows, { reportedCents: 100n, optionCents: 50n })).copied).toHaveLength(6);
});

it('fractions are of the equity and of everything listed; an empty report has none (rule 9.1)', () => {
  const rows = Array.from({ length: 20 }, (_, n) => row(n, 5n));
  const portfolio = portfolioOf(source(rows, { reportedCents: 400n, optionCents: 300n }));
  expect(portfolio).toMatchObject({ lagDays: 45, top10Weight: 500_000_000n, optionShare: 750_000_000n });
  expect(portfolioOf(source([]))).toMatchObject({ top10Weight: 0n, optionShare: 0n, copied: [] });
});

it('concentration counts the rows that the equity counts (rule 9.1)', () => {
  const doubtful = row(1, 60n, ['cusip_checksum_failed']);
  const rows = [doubtful, ...Array.from({ length: 20 }, (_, n) => row(n + 2, 2n))];
  // The equity counts a row whose CUSIP is in doubt, but not an excluded value.
  expect(portfolioOf(source(rows)).top10Weight).toBe(780_000_000n);
  const slips = (['implied_price_outlier', 'amount_implausible'] as const).map((reason, at) =>
    row(90 + at, 9_000n, [reason]),
  );
  expect(portfolioOf(source([...rows, ...slips], { equityCents: 100n })).top10Weight).toBe(780_000_000n);
});
