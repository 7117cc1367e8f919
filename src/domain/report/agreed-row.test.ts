import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quarterColumns } from '../columns/columns.ts';
import { emptyNames } from '../columns/names.ts';
import type { Cik, Cusip } from '../ids.ts';
import { agreedRow } from './agreed-row.ts';
import { agreedQuote } from './implied-price.ts';

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
