import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AS_OF, accessionNo, form4 } from '../brief/brief.sample.ts';
import type { IsoDate } from '../ids.ts';
import { allRowsOf, isListed } from './trades.ts';

const option = { table: 'derivative', code: 'A', acquiredDisposed: 'A', securityTitle: 'Option' } as const;
const original = form4({ number: 1, rows: [{}, { ...option, row: 1 }] });
const fix = form4({ number: 2, isAmendment: true, filed: '2020-03-10', rows: [{ ...option, shares: '7' }] });

describe('all rows of an issuer', () => {
  test('has the rows of both tables, and lists only the non-derivative ones (rule 6.2)', () => {
    const rows = allRowsOf([original], AS_OF);
    expect(rows.map(({ id }) => id)).toEqual([`${accessionNo(500_001)}:nd:1`, `${accessionNo(500_001)}:d:1`]);
    expect(rows.map(isListed)).toEqual([true, false]);
  });

  test('an amendment of an option replaces only that row, which names it (rule 6.5)', () => {
    const [trade, first, second] = allRowsOf([fix, original], AS_OF);
    expect(trade).toMatchObject({ supersededBy: null, reasons: [] });
    expect(first).toMatchObject({
      supersededBy: accessionNo(500_002),
      reasons: ['superseded_by_amendment'],
    });
    expect(second).toMatchObject({ supersededBy: null, amends: accessionNo(500_001) });
  });

  test('of two amendments the newest is named (rule 6.5)', () => {
    const last = form4({
      number: 3,
      isAmendment: true,
      filed: '2020-03-12',
      rows: [{ ...option, shares: '8' }],
    });
    const [, first, second] = allRowsOf([last, original, fix], AS_OF);
    expect([first?.supersededBy, second?.supersededBy]).toEqual([accessionNo(500_003), accessionNo(500_003)]);
  });

  test('an amendment filed after the as-of date replaces nothing (rule 6.5)', () => {
    const [, first] = allRowsOf([original, fix], '2020-03-09' as IsoDate);
    expect(first?.supersededBy).toBeNull();
  });

  test('a bought option has no open-market side (rule 6.2)', () => {
    const bought = form4({ number: 4, rows: [{ ...option, code: 'P' }] });
    expect(allRowsOf([bought], AS_OF)[0]).toMatchObject({ side: 'other', reasons: [] });
  });

  test('does not depend on the order of the filings (rule 6.2)', () => {
    const filings = [original, fix, form4({ number: 5, filed: '2020-03-05' })];
    const shuffled = fc.shuffledSubarray(filings, { minLength: filings.length });
    fc.assert(
      fc.property(shuffled, (some) => {
        expect(allRowsOf(some, AS_OF)).toEqual(allRowsOf(filings, AS_OF));
      }),
    );
  });
});
