import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AS_OF, accessionNo, type FormFields, form4, reportingOwner } from '../brief/brief.sample.ts';
import type { Ownership, OwnershipRow } from '../filing/filing.ts';
import type { IsoDate } from '../ids.ts';
import { isEffective, tradesOf } from './trades.ts';

const amendment = (fields: FormFields): Ownership =>
  form4({ isAmendment: true, filed: '2020-03-10', ...fields });
const original = form4({ number: 1, rows: [{}, { transactionDate: '2020-03-03' as IsoDate }] });
const ORIGINAL_DAY = '2020-03-04' as IsoDate;

/** `<number of the form>:<row>` of each row that stands. */
function standing(...filings: Ownership[]): string[] {
  return tradesOf(filings, AS_OF)
    .filter(isEffective)
    .map(({ id }) => id.replace(/^.*-0*5?0*(\d+):nd:/, '$1:'));
}

describe('a 4/A', () => {
  test('replaces the rows that it restates, and the rest of the original stays (rule 6.5)', () => {
    const fix = amendment({ number: 2, dateOfOriginalSubmission: ORIGINAL_DAY, rows: [{ shares: '150' }] });
    expect(standing(original, fix)).toEqual(['1:2', '2:1']);
    const [restated] = tradesOf([original, fix], AS_OF).slice(-1);
    expect([restated?.amends, restated?.reasons]).toEqual([accessionNo(500_001), []]);
  });

  test('replaces all tranches of a day by its own (rule 6.5)', () => {
    const tranches = form4({ number: 1, rows: [{ shares: '1' }, { shares: '2' }, { shares: '3' }] });
    const fix = amendment({ number: 2, rows: [{ shares: '4' }, { shares: '2' }] });
    expect(standing(tranches, fix)).toEqual(['2:1', '2:2']);
  });

  test.each([
    ['another owner', { owners: [reportingOwner(2)] }],
    ['another security', { rows: [{ securityTitle: 'Class B Common Stock' }] }],
    ['another date', { rows: [{ transactionDate: '2020-03-01' as IsoDate }] }],
    ['another code', { rows: [{ code: 'P' }] }],
  ] as const)('with %s restates nothing: both stay, unreconciled (rule 6.5)', (_name, fields) => {
    const fix = amendment({ number: 2, dateOfOriginalSubmission: ORIGINAL_DAY, ...fields });
    expect(standing(original, fix)).toEqual(['1:1', '1:2', '2:1']);
    expect(tradesOf([original, fix], AS_OF).slice(-1)[0]?.reasons).toContain('unreconciled_amendment');
  });

  test('of an original that is not stored is unreconciled (rule 6.5)', () => {
    expect(standing(amendment({ number: 2 }))).toEqual(['2:1']);
  });

  test('with holdings only supersedes nothing (rule 6.5)', () => {
    const holdings = amendment({ number: 2, rows: [{ rowKind: 'holding', code: null, shares: null }] });
    expect(standing(original, holdings)).toEqual(['1:1', '1:2']);
  });

  test('never replaces a filing that came after it (rule 6.5)', () => {
    expect(
      standing(amendment({ number: 1, filed: '2020-03-03' }), form4({ number: 2, rows: [{ shares: '7' }] })),
    ).toEqual(['1:1', '2:1']);
  });

  test('of another 4/A replaces both that one and the original (rule 6.5)', () => {
    const first = amendment({ number: 2, dateOfOriginalSubmission: ORIGINAL_DAY, rows: [{ shares: '150' }] });
    const second = amendment({
      ...{ number: 3, filed: '2020-03-12' },
      dateOfOriginalSubmission: ORIGINAL_DAY,
    });
    expect(standing(original, first, second)).toEqual(['1:2', '3:1']);
    expect(tradesOf([second, first, original], AS_OF).slice(-1)[0]?.amends).toBe(accessionNo(500_001));
  });

  test('means the original of the date that it names (rule 6.5)', () => {
    const other = form4({ number: 2, filed: '2020-03-06' });
    const fix = amendment({ number: 3, dateOfOriginalSubmission: '2020-03-06' as IsoDate });
    expect(standing(form4({ number: 1, rows: [{ shares: '7' }] }), other, fix)).toEqual(['1:1', '3:1']);
  });

  test('without a date means the filing of the day that shares an amount with it, and no other (rule 6.5)', () => {
    const large = form4({ number: 1, rows: [{ shares: '5000', pricePerShare: '10.00' }] });
    const late = { number: 2, filed: '2020-03-20' };
    const small = form4({
      ...late,
      rows: [{ shares: '100', pricePerShare: '10.02', sharesOwnedAfter: '9' }],
    });
    const fix = (fields: NonNullable<FormFields['rows']>) =>
      amendment({ number: 3, filed: '2020-03-24', rows: fields });
    const restated = fix([{ shares: '120', pricePerShare: '10.020', sharesOwnedAfter: '7' }]);
    expect(standing(large, small, restated)).toEqual(['1:1', '3:1']);
    const unknown = fix([{ shares: '120', pricePerShare: '10.05', sharesOwnedAfter: '7' }]);
    expect(standing(large, small, unknown)).toEqual(['1:1', '2:1', '3:1']);
    expect(tradesOf([large, small, unknown], AS_OF).slice(-1)[0]?.reasons).toContain(
      'unreconciled_amendment',
    );
  });

  test('of the second of two filings of one day does not change the first (rule 6.5)', () => {
    const rows = (...shares: string[]) =>
      shares.map((amount) => ({ shares: amount, sharesOwnedAfter: amount }));
    const parts = [form4({ number: 1, rows: rows('1', '2') }), form4({ number: 2, rows: rows('3', '4') })];
    const fix = amendment({
      ...{ number: 3, dateOfOriginalSubmission: ORIGINAL_DAY },
      rows: rows('3', '5'),
    });
    expect(standing(...parts, fix)).toEqual(['1:1', '1:2', '3:1', '3:2']);
  });

  test('that names the date of an amendment restates the original too (rule 6.5)', () => {
    const other = form4({ number: 1, filed: '2020-03-05', rows: [{ shares: '7' }] });
    const first = amendment({ number: 3, dateOfOriginalSubmission: ORIGINAL_DAY, rows: [{ shares: '150' }] });
    const second = amendment({
      ...{ number: 4, filed: '2020-03-12', rows: [{ shares: '151' }] },
      dateOfOriginalSubmission: '2020-03-10' as IsoDate,
    });
    expect(standing(form4({ number: 2 }), other, first, second)).toEqual(['1:1', '4:1']);
  });

  test('means the original of exactly the same owners where several share one owner (rule 6.5)', () => {
    const joint = form4({
      number: 2,
      owners: [reportingOwner(1), reportingOwner(2)],
      rows: [{ shares: '7' }],
    });
    const fix = amendment({ number: 3, owners: [reportingOwner(2), reportingOwner(1)] });
    expect(standing(original, joint, fix)).toEqual(['1:1', '1:2', '3:1']);
  });

  test('replaces filings that repeat the same trade for other owners together with its row (rule 6.5)', () => {
    const complex = form4({ number: 2, owners: [reportingOwner(1), reportingOwner(2)] });
    const other = form4({
      number: 3,
      owners: [reportingOwner(1), reportingOwner(3)],
      rows: [{ sharesOwnedAfter: '7' }],
    });
    const fix = amendment({ number: 4, dateOfOriginalSubmission: ORIGINAL_DAY, rows: [{ shares: '150' }] });
    // Number 2 reports the trade of number 1 again; number 3 reports another one.
    expect(standing(original, complex, other, fix)).toEqual(['1:2', '3:1', '4:1']);
    const amended = tradesOf([original, complex, other, fix], AS_OF).find(({ amends }) => amends !== null);
    expect(amended?.amends).toBe(accessionNo(500_001));
  });

  test('that shows a purchase under another code marks it, and it still counts (rule 6.5)', () => {
    const bought = form4({ number: 1, rows: [{ code: 'P' }, { code: 'P', shares: '200' }] });
    const gift = { code: 'J', acquiredDisposed: 'A' } as const;
    const fix = (row: Partial<OwnershipRow>, number = 1) =>
      amendment({
        ...{ number: 2, dateOfOriginalSubmission: ORIGINAL_DAY },
        ...{ owners: [reportingOwner(number)], rows: [row] },
      });
    const codesOf = (...filings: Ownership[]) =>
      tradesOf(filings, AS_OF).map((trade) => [trade.row.code, trade.reasons.join()]);
    expect(standing(bought, fix(gift))).toEqual(['1:1', '1:2', '2:1']);
    const doubt = 'unreconciled_amendment';
    expect(codesOf(bought, fix(gift))).toEqual([
      ['P', doubt],
      ['P', ''],
      ['J', doubt],
    ]);
    expect(codesOf(bought, fix(gift, 2))[0]).toEqual(['P', '']);
    // An option exercised and sold: amending one row does not concern the other.
    const exercised = form4({ number: 1, rows: [{ code: 'M', acquiredDisposed: 'A' }, {}] });
    expect(codesOf(exercised, fix({ pricePerShare: '9' }))[0]).toEqual(['M', '']);
    const omitted = fix({ code: 'M', acquiredDisposed: 'A', pricePerShare: '1' });
    expect(codesOf(form4({ number: 1 }), omitted)).toEqual([
      ['S', ''],
      ['M', doubt],
    ]);
    expect(codesOf(form4({ number: 1 }), fix({ code: 'P' }))[0]).toEqual(['S', doubt]);
  });

  test('that names an original which is not stored restates no other filing (rule 6.5)', () => {
    const stored = form4({ number: 1, filed: '2020-03-06' });
    const fix = (fields: NonNullable<FormFields['rows']>) =>
      amendment({ number: 2, dateOfOriginalSubmission: ORIGINAL_DAY, rows: fields });
    const foreign = fix([{ shares: '7000', pricePerShare: '55', sharesOwnedAfter: '123' }]);
    expect(standing(stored, foreign)).toEqual(['1:1', '2:1']);
    expect(tradesOf([stored, foreign], AS_OF)[1]?.reasons).toEqual(['unreconciled_amendment']);
    // With a common amount a mistyped date still means the same original.
    expect(standing(stored, fix([{ shares: '7000', pricePerShare: '55' }]))).toEqual(['2:1']);
  });

  test('another spelling of the title makes no other security (rule 6.5)', () => {
    const fix = amendment({ number: 2, rows: [{ securityTitle: 'COMMON STOCK.' }] });
    expect(standing(original, fix)).toEqual(['1:2', '2:1']);
  });
});

test('any order of arrival gives the same trades (rule 6.5)', () => {
  const filings = [
    original,
    amendment({ number: 2, rows: [{ shares: '150' }] }),
    amendment({ number: 3, filed: '2020-03-10', rows: [{ shares: '151' }] }),
    form4({ number: 4, filed: '2020-03-05', owners: [reportingOwner(1), reportingOwner(2)] }),
    form4({ number: 5, filed: '2020-03-05', owners: [reportingOwner(3), reportingOwner(2)] }),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(filings, { minLength: filings.length }), (shuffled) => {
      expect(tradesOf(shuffled, AS_OF)).toEqual(tradesOf(filings, AS_OF));
    }),
  );
});
