import { describe, expect, test } from 'vitest';
import { AS_OF, type FormFields, form4, reportingOwner } from '../brief/brief.sample.ts';
import type { Ownership } from '../filing/filing.ts';
import type { IsoDate } from '../ids.ts';
import { POSSIBLE_OFFERING_INSIDERS } from './thresholds.ts';
import { isOpenMarket, tradesOf } from './trades.ts';

const bought = (number: number, fields: Partial<FormFields> = {}): Ownership =>
  form4({ number, owners: [reportingOwner(number)], rows: [{ code: 'P', shares: `${number}` }], ...fields });
const marked = (...filings: Ownership[]): number =>
  tradesOf(filings, AS_OF).filter(({ reasons }) => reasons.includes('possible_offering')).length;

const row = { code: 'P', shares: '3' } as const;

describe('a possible offering', () => {
  test('is three insiders on one side, day and price; the trades still count (rule 6.7)', () => {
    expect(POSSIBLE_OFFERING_INSIDERS).toBe(3);
    const filings = [bought(1), bought(2), bought(3)];
    expect(tradesOf(filings, AS_OF).map(({ reasons }) => reasons)).toEqual(
      filings.map(() => ['possible_offering']),
    );
    expect(tradesOf(filings, AS_OF).every(isOpenMarket)).toBe(true);
    expect(marked(bought(1), bought(2))).toBe(0);
  });

  test.each([
    ['another price', { rows: [{ ...row, pricePerShare: '10.01' }] }],
    ['another day', { rows: [{ ...row, transactionDate: '2020-03-03' as IsoDate }] }],
    ['the other side', { rows: [{ shares: '3' }] }],
    ['no price', { rows: [{ ...row, pricePerShare: null }] }],
    ['an option', { rows: [{ ...row, table: 'derivative' }] }],
    ['an award', { rows: [{ ...row, code: 'A', acquiredDisposed: 'A' }] }],
    ['another issuer', { issuer: { cik: reportingOwner(77).cik, name: 'Other', symbol: 'X' } }],
    ['a common owner', { owners: [reportingOwner(3), reportingOwner(2)] }],
  ] as const)('is not one whose third insider has %s (rule 6.7)', (_name, fields) => {
    expect(marked(bought(1), bought(2), bought(3, fields as Partial<FormFields>))).toBe(0);
  });

  test('counts joint owners once, and prices in any spelling (rule 6.7)', () => {
    const joint = bought(1, { owners: [reportingOwner(1), reportingOwner(4), reportingOwner(5)] });
    expect(marked(joint, bought(2))).toBe(0);
    const spelled = bought(3, { rows: [{ ...row, pricePerShare: '10' }] });
    expect(marked(joint, bought(2), spelled)).toBe(3);
  });

  test('ignores rows that an amendment replaced (rule 6.7)', () => {
    const fix = bought(4, {
      isAmendment: true,
      filed: '2020-03-10',
      owners: [reportingOwner(3)],
      rows: [{ ...row, pricePerShare: '9' }],
    });
    expect(marked(bought(1), bought(2), bought(3), fix)).toBe(0);
  });
});
