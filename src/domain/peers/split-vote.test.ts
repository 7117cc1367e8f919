import { expect, it } from 'vitest';
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
const DOUBT = [{ kind: 'common_ratio' }];
const FOUR_FOR_ONE = { numerator: 4n, denominator: 1n };
const holders = holdersOf(APPLE, [40_000n, 10_500n]);

it('five holders whose shares moved by four at a quarter of the price vote a split (rule 4.5)', () => {
  const traded = holders(3, [1_000n, 4_700n], { from: 6 });
  expect(corporateActionsOf([...holders(5, [1_000n, 4_000n]), ...traded])).toEqual([
    { kind: 'split', cusip: APPLE, factor: FOUR_FOR_ONE, votes: 5, compared: 8, unchanged: 0 },
  ]);
});

it('four holders are too few for a split, however alike they moved (rule 4.5)', () => {
  expect(corporateActionsOf(holders(4, [1_000n, 4_000n]))).toEqual([]);
});

it('five of 21 holders are too small a part for a split, five of 20 are not (rule 4.5)', () => {
  const split = holders(5, [1_000n, 4_000n]);
  const traded = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      holders(1, [1_000n, 2_600n + BigInt(at) * 40n], { from: 6 + at }),
    );
  expect(corporateActionsOf([...split, ...traded(16).flat()])).not.toContainEqual(
    expect.objectContaining(SPLIT),
  );
  expect(corporateActionsOf([...split, ...traded(15).flat()])).toMatchObject([{ ...SPLIT, votes: 5 }]);
});

it('share counts that quadruple at a steady price vote no split, and are in doubt (rule 4.6)', () => {
  expect(corporateActionsOf(holders(6, [1_000n, 4_000n], { prices: [10_000n, 10_000n] }))).toMatchObject(
    DOUBT,
  );
});

it('a stock may move far in the quarter of its split, as long as it is nearer to the inverse than to no move (rule 4.5)', () => {
  const at = (price: bigint) =>
    corporateActionsOf(holders(5, [1_000n, 4_000n], { prices: [40_000n, price] }));
  expect([at(19_900n), at(13_510n), at(6_490n), at(3_000n)]).toMatchObject(Array(4).fill([SPLIT]));
  expect(at(20_100n)).toMatchObject(DOUBT);
});

it('without prices at both ends share counts alone vote no split (rule 4.5)', () => {
  const counts = holders(6, [1_000n, 1_250n]);
  const unpriced = (without: readonly Side[]) =>
    counts.map((one) => (without.includes(one.side) ? { ...one, valueCents: 0n } : one));
  expect(corporateActionsOf(unpriced(['prior']))).toMatchObject(DOUBT);
  expect(corporateActionsOf(unpriced(['prior', 'current']))).toMatchObject(DOUBT);
});

it('a share count half a percent away from the factor is no vote (rule 4.5)', () => {
  const four = holders(4, [100_000n, 400_000n]);
  expect(corporateActionsOf([...four, ...holders(1, [100_000n, 401_999n], { from: 5 })])).toMatchObject([
    SPLIT,
  ]);
  expect(corporateActionsOf([...four, ...holders(1, [100_000n, 402_000n], { from: 5 })])).not.toMatchObject([
    SPLIT,
  ]);
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
  const others = holders(11, [1_000n, 1_100n], { prices, from: 6 });
  expect(
    corporateActionsOf([...complex, ...others, ...holders(4, [1_000n, 1_000n], { prices, from: 17 })]),
  ).toEqual([]);
  // Without the others no holder stood still: that is no chance, but the price fits no split.
  expect(corporateActionsOf(complex)).toMatchObject(DOUBT);
});

it('the price must be nearer to the inverse of the factor than to no move (rule 4.5)', () => {
  const at = (price: bigint) =>
    corporateActionsOf(holders(6, [1_000n, 1_500n], { prices: [10_000n, price] }));
  expect(at(8_100n)).toMatchObject([{ kind: 'split' }]);
  expect(at(8_200n)).toMatchObject(DOUBT);
});

it('a split of 3 for 2 or less needs most of the holders, a larger one a quarter (rule 4.5)', () => {
  const small = holders(5, [1_000n, 1_250n], { prices: [10_000n, 8_000n] });
  const traded = (count: number) => holders(count, [1_000n, 1_110n], { from: 6, prices: [10_000n, 8_000n] });
  expect(corporateActionsOf([...small, ...traded(4)])).toMatchObject([
    { kind: 'split', votes: 5, compared: 9 },
  ]);
  expect(corporateActionsOf([...small, ...traded(5)])).not.toMatchObject([SPLIT]);
});

it('one holder that doubled is refuted by five that stood still (rule 4.5)', () => {
  const prices = [4_000n, 2_800n] as const;
  const doubled = holders(1, [1_000n, 2_000n], { prices });
  expect(corporateActionsOf([...doubled, ...holders(5, [1_000n, 1_004n], { from: 2, prices })])).toEqual([
    { kind: 'refuted', cusip: APPLE, compared: 6, unchanged: 5, pricePermille: 700 },
  ]);
  expect(corporateActionsOf([...doubled, ...holders(4, [1_000n, 1_000n], { from: 2, prices })])).toEqual([]);
  const traded = holders(1, [1_000n, 1_005n], { from: 6, prices });
  expect(
    corporateActionsOf([...doubled, ...holders(4, [1_000n, 1_000n], { from: 2, prices }), ...traded]),
  ).toEqual([]);
});

it('nothing is refuted where no holder moved like a split (rule 4.5)', () => {
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
  const report = { cik: filer(5), filings: [], isComparable: false };
  expect(peersOf(holdings, { reports: { prior: [report] } }).peers.corporateActions).toEqual([]);
});

it('a holder whose CUSIP is in doubt has no vote (rule 3.1)', () => {
  const [first, ...others] = holders(5, [1_000n, 4_000n]) as [SampleHolding, ...SampleHolding[]];
  expect(corporateActionsOf([{ ...first, reasons: ['cusip_checksum_failed'] }, ...others])).toEqual([]);
  expect(corporateActionsOf([holding(9, APPLE), first, ...others])).toMatchObject([
    { votes: 5, compared: 5 },
  ]);
});
