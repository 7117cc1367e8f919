import { expect, it } from 'vitest';
import { NAMES_NOBODY } from '../report/other-manager.ts';
import {
  corporateActionsOf,
  filer,
  holdersOf,
  holding,
  peersOf,
  type SampleHolding,
  type Side,
  stock,
} from './peers.sample.ts';

const APPLE = stock(1);
const SPLIT = { kind: 'split' };
const FOUR_FOR_ONE = { numerator: 4n, denominator: 1n };
const holders = holdersOf(APPLE, [40_000n, 10_500n]);
/** Each traded another part of its shares in the quarter of a 10 for 1. */
const traded = (count: number, from = 1) =>
  Array.from({ length: count }, (_, at) =>
    holdersOf(APPLE, [90_000n, 9_500n])(1, [1_000n, 8_800n + 171n * BigInt(at)], { from: from + at }),
  ).flat();

it('five holders whose shares moved by exactly four at a quarter of the price vote a split (rule 4.5)', () => {
  const others = holders(3, [1_000n, 4_700n], { from: 6 });
  expect(corporateActionsOf([...holders(5, [1_000n, 4_000n]), ...others])).toEqual([
    { kind: 'split', cusip: APPLE, factor: FOUR_FOR_ONE, votes: 5, compared: 8 },
  ]);
  expect(
    corporateActionsOf([...holders(5, [1_000n, 4_000n]), ...holders(4, [1_000n, 5_600n], { from: 6 })]),
  ).toEqual([]);
});

it('ten holders that moved near one factor prove it, although none stood still (rule 4.5)', () => {
  const factor = { numerator: 10n, denominator: 1n };
  expect(corporateActionsOf(traded(10))).toEqual([
    { kind: 'split', cusip: APPLE, factor, votes: 10, compared: 10 },
  ]);
  expect(corporateActionsOf(traded(9))).toEqual([]);
});

it('the crowd is three fifths of all holders of both quarters (rule 4.5)', () => {
  const bought = (count: number) => holders(count, [1_000n, 1_304n], { from: 40 });
  expect(corporateActionsOf([...traded(12), ...bought(8)])).toMatchObject([SPLIT]);
  expect(corporateActionsOf([...traded(12), ...bought(9)])).not.toMatchObject([SPLIT]);
});

it('the candidate nearest to the median of the crowd names the factor (rule 4.5)', () => {
  const at = (amounts: readonly bigint[], price: bigint) =>
    corporateActionsOf(
      amounts.flatMap((amount, by) =>
        holders(1, [1_000n, amount], { from: by + 1, prices: [70_000n, price] }),
      ),
    );
  const sevens = [6_100n, 6_500n, 6_900n, 6_930n, 7_000n, 7_010n, 7_050n, 7_100n, 7_700n, 8_100n];
  expect(at(sevens, 10_000n)).toMatchObject([{ factor: { numerator: 7n, denominator: 1n }, votes: 10 }]);
});

it('four holders are too few for a split, however alike they moved (rule 4.5)', () => {
  expect(corporateActionsOf(holders(4, [1_000n, 4_000n]))).toEqual([]);
});

it('share counts that quadruple at a steady price vote no split (rule 4.5)', () => {
  const steady = { prices: [10_000n, 10_000n] } as const;
  expect(corporateActionsOf(holders(6, [1_000n, 4_000n], steady))).toEqual([]);
  expect(corporateActionsOf(holders(12, [1_000n, 4_000n], steady))).toEqual([]);
});

it('a stock may move far in the quarter of its split, as long as it is nearer to the inverse than to no move (rule 4.5)', () => {
  const at = (price: bigint) =>
    corporateActionsOf(holders(10, [1_000n, 4_000n], { prices: [40_000n, price] }));
  expect([at(19_900n), at(13_510n), at(6_490n), at(3_000n)]).toMatchObject(Array(4).fill([SPLIT]));
  expect(at(20_100n)).toEqual([]);
});

it('without prices at both ends share counts alone vote no split (rule 4.5)', () => {
  const counts = holders(12, [1_000n, 1_250n]);
  const unpriced = (without: readonly Side[]) =>
    counts.map((one) => (without.includes(one.side) ? { ...one, valueCents: 0n } : one));
  expect(corporateActionsOf(unpriced(['prior']))).toEqual([]);
  expect(corporateActionsOf(unpriced(['prior', 'current']))).toEqual([]);
});

it('exactly is within half a permille or one share (rule 4.5)', () => {
  const four = holders(4, [100_000n, 400_000n]);
  const fifth = (amount: bigint) =>
    corporateActionsOf([...four, ...holders(1, [100_000n, amount], { from: 5 })]);
  expect(fifth(400_200n)).toMatchObject([SPLIT]);
  expect(fifth(400_201n)).toEqual([]);
});

it('a fraction settled in cash, either way, is still a vote (rule 4.5)', () => {
  const prices = [110n, 1_000n] as const;
  const settled = [
    ...holders(3, [105_000n, 10_500n], { prices }),
    ...holders(1, [1_059n, 105n], { prices, from: 4 }),
    ...holders(1, [1_051n, 106n], { prices, from: 5 }),
  ];
  expect(corporateActionsOf(settled)).toMatchObject([
    { factor: { numerator: 1n, denominator: 10n }, votes: 5 },
  ]);
});

it('three for two and five for four are distinguished (rule 4.5)', () => {
  const factorAt = (amount: bigint, price: bigint) =>
    corporateActionsOf(holders(5, [1_000n, amount], { prices: [9_000n, price] }));
  expect(factorAt(1_500n, 6_000n)).toMatchObject([{ factor: { numerator: 3n, denominator: 2n } }]);
  expect(factorAt(1_250n, 7_200n)).toMatchObject([{ factor: { numerator: 5n, denominator: 4n } }]);
});

it('a complex that adds a quarter at a steady price votes no split (rule 4.5)', () => {
  const prices = [10_000n, 10_000n] as const;
  const complex = holders(5, [1_000n, 1_250n], { prices });
  const others = holders(11, [1_000n, 1_117n], { prices, from: 6 });
  const still = holders(4, [1_000n, 1_000n], { prices, from: 17 });
  expect(corporateActionsOf([...complex, ...others, ...still])).toMatchObject([{ kind: 'refuted' }]);
});

it('of two factors with as many exact counts neither is a split, whoever filed first (rule 4.5)', () => {
  const prices = [10_000n, 10_000n] as const;
  const thirds = holders(4, [3_000n, 4_000n], { prices, from: 1 });
  const quarters = holders(4, [4_000n, 5_000n], { prices, from: 11 });
  const others = holders(8, [5_000n, 2_600n], { prices, from: 21 });
  expect(corporateActionsOf([...thirds, ...quarters, ...others])).toMatchObject([{ kind: 'refuted' }]);
  expect(corporateActionsOf([...quarters, ...thirds, ...others])).toMatchObject([{ kind: 'refuted' }]);
  const fifth = holders(1, [3_000n, 4_000n], { prices, from: 5 });
  expect(corporateActionsOf([...quarters, ...thirds, ...fifth, ...others])).toMatchObject([
    { kind: 'split', factor: { numerator: 4n, denominator: 3n }, votes: 5 },
  ]);
});

it('a stock dividend is restated by the counts that are exactly its own (rule 4.5)', () => {
  const prices = [10_000n, 9_800n] as const;
  const others = Array.from({ length: 40 }, (_, at) =>
    holders(1, [30_000n, 24_017n + 413n * BigInt(at)], { from: 4 + at, prices }),
  ).flat();
  const at = (amount: bigint, unchanged: number) =>
    corporateActionsOf([
      ...holders(3, [30_000n, amount], { prices }),
      ...others,
      ...holders(unchanged, [30_000n, 30_000n], { from: 60, prices }),
    ]);
  expect(at(31_500n, 1)).toMatchObject([{ factor: { numerator: 21n, denominator: 20n }, votes: 3 }]);
  expect(at(40_000n, 0)).toMatchObject([{ factor: { numerator: 4n, denominator: 3n } }]);
  expect(at(31_500n, 2)).toEqual([]);
  // Not a whole percent.
  expect(at(31_650n, 0)).toEqual([]);
});

it('one holder that doubled is refuted by ten that did not (rule 4.6)', () => {
  const prices = [4_000n, 2_800n] as const;
  const doubled = holders(1, [1_000n, 2_000n], { prices });
  expect(corporateActionsOf([...doubled, ...holders(10, [1_000n, 1_104n], { from: 2, prices })])).toEqual([
    { kind: 'refuted', cusip: APPLE, votes: 10, compared: 11, pricePermille: 700 },
  ]);
  expect(corporateActionsOf([...doubled, ...holders(9, [1_000n, 1_104n], { from: 2, prices })])).toEqual([]);
});

it('a factor that as many moved by as did not is not refuted (rule 4.6)', () => {
  const prices = [4_000n, 2_800n] as const;
  const doubled = [
    ...holders(1, [1_000n, 2_000n], { prices }),
    ...holders(10, [1_000n, 1_817n], { from: 2, prices }),
  ];
  const others = (count: number) => holders(count, [1_000n, 1_104n], { from: 20, prices });
  expect(corporateActionsOf([...doubled, ...others(11)])).toEqual([]);
  expect(corporateActionsOf([...doubled, ...others(12)])).toMatchObject([{ kind: 'refuted', votes: 12 }]);
});

it('nothing is refuted where no holder moved like a split (rule 4.6)', () => {
  expect(
    corporateActionsOf([...holders(6, [1_000n, 1_000n]), ...holders(2, [1_000n, 1_150n], { from: 7 })]),
  ).toEqual([]);
});

it('a split is neither voted nor refuted while as many stood still as moved (rule 4.5)', () => {
  const tied = [...holders(5, [1_000n, 4_000n]), ...holders(5, [1_000n, 1_000n], { from: 6 })];
  expect(corporateActionsOf(tied)).toEqual([]);
});

it('a split effective on the last day of a quarter is of that quarter and not of the next (rule 4.5)', () => {
  // A report on the effective date counts shares after the split.
  const onTheDay = holders(5, [1_000n, 4_000n]);
  expect(corporateActionsOf(onTheDay)).toMatchObject([{ kind: 'split' }]);
  const after = onTheDay.flatMap((one) =>
    one.side === 'current' ? [{ ...one, side: 'prior' as const }, one] : [],
  );
  expect(corporateActionsOf(after)).toEqual([]);
});

it('a manager whose reports cannot be compared has no vote (rule 4.5)', () => {
  const holdings = holders(5, [1_000n, 4_000n]);
  const report = { cik: filer(5), filings: [], isComparable: false, named: NAMES_NOBODY };
  expect(peersOf(holdings, { reports: { prior: [report] } }).peers.corporateActions).toEqual([]);
});

it('a holder whose CUSIP is in doubt has no vote (rule 3.1)', () => {
  const [first, ...others] = holders(5, [1_000n, 4_000n]) as [SampleHolding, ...SampleHolding[]];
  expect(corporateActionsOf([{ ...first, reasons: ['cusip_checksum_failed'] }, ...others])).toEqual([]);
  expect(corporateActionsOf([holding(9, APPLE), first, ...others])).toMatchObject([
    { votes: 5, compared: 5 },
  ]);
});
