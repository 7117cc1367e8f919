import fc from 'fast-check';
import { expect, it } from 'vitest';
import { filesOf, priced } from '../market/market.sample.ts';
import { marketOf } from '../market/market.ts';
import {
  corporateActionsOf,
  filer,
  holding,
  market,
  moved,
  peersOf,
  QUARTER,
  type SampleHolding,
  type Side,
  stock,
} from './peers.sample.ts';

const side = fc.constantFrom<Side>('prior', 'current', 'next');
/** Few managers, stocks and amounts, so that votes, slips and twins all occur. */
const anyHolding = fc
  .record({
    side,
    by: fc.integer({ min: 1, max: 9 }),
    at: fc.integer({ min: 1, max: 8 }),
    amount: fc.constantFrom(500n, 1_000n, 1_001n, 2_000n, 4_000n),
    price: fc.constantFrom(1n, 500n, 1_000n, 2_000n, 2_000_000n),
  })
  .map(({ at, by, ...fields }) => holding(by, stock(at), fields));
const quarters = fc.uniqueArray(anyHolding, {
  selector: ({ side, by, cusip }) => `${side} ${by} ${cusip}`,
  minLength: 20,
  maxLength: 80,
});

/** A split, a CUSIP change, and twins, so that there is something to order. */
const planted = [
  ...[20, 21, 22, 23, 24, 25].flatMap((by) => [
    ...moved(by, stock(20), [1_000n, 4_000n], [8_000n, 2_000n]),
    ...moved(by, stock(19), [1_000n, 2_000n], [8_000n, 4_000n]),
    holding(by, stock(21), { side: 'prior', amount: 3_000n }),
    holding(by, stock(22), { amount: 1_500n, issuer: `ISSUER ${stock(21)}` }),
  ]),
  ...[30, 31].flatMap((by) => [30, 31, 32, 33, 34].map((at) => holding(by, stock(at)))),
];

const jump = marketOf(filesOf(priced(stock(20), 'SPLIT', { '2024-02-13': 80, '2024-02-14': 20 })));

// Distribution Solutions, Renaissance 2023-09-30 (0001037389-23-000124), whose values are in thousands.
it('a report in thousands shows by its own prices what its shares cost, also where nobody else holds them (rule 4.7)', () => {
  const others = [1, 2, 3].flatMap((at) => moved(1, stock(at), [9_000n + BigInt(at), 8_000n], [9n, 9n]));
  const held = (side: Side, amount: bigint, valueCents: bigint) =>
    holding(1, stock(9), { side, amount, valueCents });
  const solutions = [held('prior', 49_538n, 257_900n), held('current', 108_100n, 281_100n)];
  expect(corporateActionsOf([...others, ...solutions])).toMatchObject([
    { kind: 'split_suspected', cusip: stock(9), factor: { numerator: 2n, denominator: 1n } },
  ]);
});

it('the order of managers, securities and reports never matters (rule 4.1)', () => {
  const shuffled = quarters
    .map((holdings) => [...planted, ...holdings])
    .chain((holdings) =>
      fc.tuple(fc.constant(holdings), fc.shuffledSubarray(holdings, { minLength: holdings.length })),
    );
  fc.assert(
    fc.property(shuffled, ([holdings, again]) => {
      const result = peersOf(holdings, { market: jump });
      expect(result.peers.corporateActions).toContainEqual(
        expect.objectContaining({ kind: 'split', votes: 6 }),
      );
      expect(result.peers.corporateActions).toContainEqual(
        expect.objectContaining({ from: stock(21), votes: 6 }),
      );
      expect(result.verdicts.get(filer(30))).toMatchObject({ identicalTo: filer(31) });
      const other = peersOf(again, { market: jump });
      expect(other.peers).toEqual(result.peers);
      expect([...other.verdicts]).toEqual([...result.verdicts]);
    }),
  );
});

it('a count of a filing that is not believed proves no split, and its holder did not leave (rule 4.1)', () => {
  const reasons = ['unrelated_restatement_suspected'] as const;
  const before = [40, 41, 42, 43, 44].map((by) => holding(by, stock(20), { side: 'prior', price: 8_000n }));
  const after = before.map(({ by, amount }) =>
    holding(by, stock(20), { amount: amount * 4n, price: 2_100n }),
  );
  const kindsOf = (doubted: readonly SampleHolding[]) =>
    corporateActionsOf([...before, ...doubted], { market: jump }).map(({ kind }) => kind);
  expect(kindsOf(after)).toEqual(['split']);
  expect(kindsOf(after.map((one) => ({ ...one, reasons })))).toEqual([]);
});

it('a factor of a thousand in one filing is found whatever the shares, and no other verdict moves (rule 4.3)', () => {
  const managers = fc.record({
    size: fc.integer({ min: 3, max: 12 }),
    peers: fc.integer({ min: 3, max: 6 }),
    shares: fc.bigInt({ min: 1_000n, max: 10n ** 9n }),
  });
  fc.assert(
    fc.property(managers, ({ size, peers, shares }) => {
      const others = market(
        Array.from({ length: peers }, (_, at) => at + 1),
        size,
      );
      const own = market([9], size).map((one) =>
        holding(9, one.cusip, { amount: shares, price: one.valueCents / one.amount }),
      );
      const wrong = own.map((one) => ({ ...one, valueCents: one.valueCents / 1_000n }));
      expect(peersOf([...others, ...own]).verdicts.size).toBe(0);
      const { verdicts } = peersOf([...others, ...wrong]);
      expect([...verdicts.keys()]).toEqual([filer(9)]);
      expect(verdicts.get(filer(9))?.scales).toMatchObject([{ scaleCents: 100_000n }]);
    }),
  );
});

it('a filer that corrects its scale changes no other filer and no corporate action (rule 4.1)', () => {
  const others = market([1, 2, 3, 4], 6);
  const before = market([1, 2, 3, 4, 9], 6, 'prior');
  const right = market([9], 6);
  const wrong = right.map((one) => ({ ...one, valueCents: one.valueCents / 1_000n }));
  const [corrected, uncorrected] = [right, wrong].map((own) => peersOf([...before, ...others, ...own]));
  expect(uncorrected?.peers).toEqual(corrected?.peers);
  expect([...(uncorrected?.verdicts.keys() ?? [])]).toEqual([filer(9)]);
  expect(corrected?.verdicts.size).toBe(0);
});

it('corporate actions are in the order of the CUSIPs, verdicts in that of the CIKs', () => {
  fc.assert(
    fc.property(quarters, (holdings) => {
      const { peers, verdicts } = peersOf([...holdings, ...planted].toReversed());
      const keys = peers.corporateActions.map(({ cusip, kind }) => `${cusip} ${kind}`);
      expect(keys).toEqual(keys.toSorted());
      expect([...verdicts.keys()]).toEqual([...verdicts.keys()].sort());
    }),
  );
});

it('an empty quarter has no corporate actions and no verdicts', () => {
  expect(peersOf([])).toEqual({ peers: { quarterEnd: QUARTER, corporateActions: [] }, verdicts: new Map() });
});

it('each CUSIP comes once, also one that no manager holds any more (rule 4.1)', () => {
  const kept = (by: number): SampleHolding[] => [
    holding(by, stock(2), { side: 'prior' }),
    holding(by, stock(2)),
    holding(by, stock(1), { side: 'prior' }),
  ];
  const holdings = [1, 2, 3, 4, 5].flatMap(kept);
  expect(corporateActionsOf(holdings)).toMatchObject([{ kind: 'mass_exit', cusip: stock(1), votes: 5 }]);
});

const positionsOf = (by: number, count = 5, shares = 1_000n): SampleHolding[] =>
  Array.from({ length: count }, (_, at) => holding(by, stock(at + 1), { amount: shares + BigInt(at) }));
const twinOf = (by: number, holdings: readonly SampleHolding[]) =>
  peersOf(holdings).verdicts.get(filer(by))?.identicalTo ?? null;

it('managers with the same positions name the lowest CIK of the others (rule 4.10)', () => {
  const holdings = [...positionsOf(7), ...positionsOf(3), ...positionsOf(5), ...positionsOf(4, 5, 2_000n)];
  expect([3, 4, 5, 7].map((by) => twinOf(by, holdings))).toEqual([filer(5), null, filer(3), filer(3)]);
});

it('one more share or one more security makes other positions (rule 4.10)', () => {
  const [first, ...others] = positionsOf(2) as [SampleHolding, ...SampleHolding[]];
  expect(twinOf(1, [...positionsOf(1), { ...first, amount: 1_001n }, ...others])).toBeNull();
  expect(twinOf(1, [...positionsOf(1), ...positionsOf(2), holding(2, stock(9))])).toBeNull();
});

it('values are not compared, because their scale may be wrong (rule 4.10)', () => {
  const cheap = positionsOf(2).map((one) => ({ ...one, valueCents: one.valueCents / 1_000n }));
  expect(twinOf(1, [...positionsOf(1), ...cheap])).toBe(filer(2));
});

it('four positions may be alike by chance (rule 4.10)', () => {
  expect(twinOf(1, [...positionsOf(1, 4), ...positionsOf(2, 4)])).toBeNull();
});

it('positions of the quarter before are not compared (rule 4.10)', () => {
  const before = positionsOf(2).map((one) => ({ ...one, side: 'prior' as const }));
  expect(twinOf(1, [...positionsOf(1), ...before, ...moved(2, stock(9), [1n, 1n])])).toBeNull();
});
