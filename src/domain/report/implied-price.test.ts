import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quarterColumns } from '../columns/columns.ts';
import { emptyNames } from '../columns/room.ts';
import type { Cik, Cusip } from '../ids.ts';
import { heldRow, UP_AND_DOWN } from '../leaderboard/rank.sample.ts';
import type { Reason } from '../quality/quality.ts';
import { impliedPrice, priceSecurities } from './implied-price.sample.ts';
import { agreedQuote, agreedRow, type HeldRow } from './implied-price.ts';

const [CUSIP = 'G00000001' as never, OTHER = 'H00000001' as never] = UP_AND_DOWN;
const filer = (n: number): Cik => String(n).padStart(10, '0') as Cik;

const quotes = (...pairs: [valueCents: bigint, shares: bigint][]): HeldRow[] =>
  pairs.map(([valueCents, shares], at) => heldRow(filer(at), CUSIP, valueCents, shares));

it('is the value per share of the filer in the middle, weighted by shares', () => {
  const price = impliedPrice(quotes([1_000n, 10n], [1_010n, 10n], [102_000n, 1_000n]));
  expect(price).toEqual({ valueCents: 102_000n, shares: 1_000n, filers: 3 });
});

it('leaves out filers beyond 5 percent of the median and needs three that remain', () => {
  expect(impliedPrice(quotes([100n, 1n], [105n, 1n], [95n, 1n], [954n, 9n]))?.filers).toBe(3);
  expect(impliedPrice(quotes([100n, 1n], [105n, 1n], [94n, 1n]))).toBeNull();
  expect(impliedPrice(quotes([100n, 1n], [100n, 1n]))).toBeNull();
  expect(impliedPrice([])).toBeNull();
});

it('one filer at the wrong scale changes nothing, even a large one', () => {
  const price = impliedPrice(quotes([100n, 1n], [101n, 1n], [102n, 1n], [100_000_000n, 1_000n]));
  expect(price).toMatchObject({ valueCents: 101n, shares: 1n });
});

it.each<Reason>([
  'cusip_malformed',
  'cusip_checksum_failed',
  'amount_negative',
  'amount_implausible',
  'implied_price_outlier',
])('a row with %s gives no price (rule 4.2)', (reason) => {
  const rows = quotes([100n, 1n], [100n, 1n], [100n, 1n]);
  expect(priceSecurities(rows)).toHaveLength(1);
  expect(priceSecurities(rows.map((row, at) => (at === 0 ? { ...row, reasons: [reason] } : row)))).toEqual(
    [],
  );
});

it('counts the filers that show a split', () => {
  const [a, b, c, d] = quotes([100n, 400n], [100n, 400n], [100n, 400n], [100n, 400n]) as [
    HeldRow,
    HeldRow,
    HeldRow,
    HeldRow,
  ];
  const rows: HeldRow[] = [
    { ...a, priorAmount: 100n, reasons: ['split_suspected'] },
    { ...b, priorAmount: 399n },
    { ...c, priorAmount: 397n },
    { ...d, priorAmount: 0n },
  ];
  expect(priceSecurities(rows)[0]?.[1]).toMatchObject({ compared: 3, unchanged: 1, splitLike: 1 });
});

it('rows in any order give the same prices in CUSIP order, and scaling only scales them', () => {
  const row = fc
    .record({
      n: fc.integer({ min: 0, max: 9 }),
      cusip: fc.constantFrom(CUSIP, OTHER),
      value: fc.bigInt({ min: 90n, max: 110n }),
      shares: fc.bigInt({ min: 1n, max: 3n }),
    })
    .map(({ n, cusip, value, shares }) => heldRow(filer(n), cusip, value * shares, shares));
  const selector = ({ cik, cusip }: HeldRow): string => `${cik}${cusip}`;
  const shuffled = fc
    .uniqueArray(row, { selector, minLength: 3, maxLength: 20 })
    .chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })));
  fc.assert(
    fc.property(shuffled, ([rows, again]) => {
      const prices = priceSecurities(rows);
      expect(priceSecurities(again)).toEqual(prices);
      const scaled = priceSecurities(again.map((one) => ({ ...one, valueCents: one.valueCents * 1_000n })));
      expect(scaled).toEqual(
        prices.map(([cusip, price]) => [cusip, { ...price, valueCents: price.valueCents * 1_000n }]),
      );
    }),
  );
});

/** Equal prices, prices on the edge of the band, and amounts beyond exact numbers all occur. */
const quote = fc
  .record({
    shares: fc.constantFrom(1n, 3n, 100n, 1_000n, 10n ** 6n, 10n ** 15n, 10n ** 17n),
    cents: fc.constantFrom(333n, 400n, 500n, 501n, 600n, 625n, 666n, 100_000n),
    more: fc.constantFrom(0n, 0n, 1n),
  })
  .map(({ shares, cents, more }) => ({ amount: shares, valueCents: shares * cents + more }));

it('the row of columns is the quote that exact numbers choose, equal prices included (rule 4.2)', () => {
  fc.assert(
    fc.property(fc.array(quote, { maxLength: 12 }), (quotes) => {
      const names = emptyNames();
      const columns = quarterColumns(names);
      const filed = quotes.map((one, at) => ({ ...one, cik: String(900 - at) as Cik }));
      for (const { cik, amount, valueCents } of filed) {
        const row = { cusip: 'A' as Cusip, issuer: 'X', amount, valueCents, filing: 0, flags: 0 };
        columns.put(cik, [row]);
      }
      const agreed = agreedRow({ ...columns, names }, columns.rowsOf(0));
      const { manager } = columns.columns();
      const found = agreed && {
        cik: names.managers.textOf(manager[agreed.row] as number),
        filers: agreed.filers,
      };
      const expected = agreedQuote(filed);
      expect(found).toEqual(expected && { cik: expected.quote.cik, filers: expected.filers });
    }),
    { numRuns: 1_000 },
  );
});
