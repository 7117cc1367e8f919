import { describe, expect, test } from 'vitest';
import { AS_OF, accessionNo, type FormFields, form4 } from '../brief/brief.sample.ts';
import type { Ownership, OwnershipRow } from '../filing/filing.ts';
import type { IsoDate } from '../ids.ts';
import { isEffective, tradesOf } from './trades.ts';

const amendment = (fields: FormFields): Ownership =>
  form4({ isAmendment: true, filed: '2020-03-10', ...fields });
const ORIGINAL_DAY = '2020-03-04' as IsoDate;

/** `<number of the form>:<row>` of each row that stands. */
function standing(...filings: Ownership[]): string[] {
  return tradesOf(filings, AS_OF)
    .filter(isEffective)
    .map(({ id }) => id.replace(/^.*-0*5?0*(\d+):nd:/, '$1:'));
}

type Amounts = readonly [shares: string, price: string, after: string];
const rowsOf = (...rows: Amounts[]) =>
  rows.map(([shares, pricePerShare, sharesOwnedAfter]) => ({ shares, pricePerShare, sharesOwnedAfter }));
const THREE = rowsOf(['100', '10', '900'], ['200', '10.20', '700'], ['300', '10.40', '400']);

describe('a 4/A', () => {
  test('with a tranche that was left out keeps the tranches that were reported (rule 6.5)', () => {
    const tranches = form4({
      number: 1,
      rows: [
        { shares: '100', sharesOwnedAfter: '900' },
        { shares: '200', sharesOwnedAfter: '700' },
      ],
    });
    const fix = (...rows: NonNullable<FormFields['rows']>) =>
      amendment({ number: 2, dateOfOriginalSubmission: ORIGINAL_DAY, rows });
    const added = fix({ shares: '50', sharesOwnedAfter: '650' });
    expect(standing(tranches, added)).toEqual(['1:1', '1:2', '2:1']);
    expect(tradesOf([tranches, added], AS_OF).at(-1)?.reasons).toEqual(['unreconciled_amendment']);
    expect(standing(tranches, fix({ shares: '300', sharesOwnedAfter: '700' }))).toEqual(['2:1']);
    expect(standing(tranches, fix({ shares: '200', sharesOwnedAfter: '701' }))).toEqual(['1:1', '2:1']);
    const corrected = fix({ shares: '50', pricePerShare: '9' }, { shares: '60', pricePerShare: '9' });
    expect(standing(tranches, corrected)).toEqual(['2:1', '2:2']);
    // After an amendment, its rows are the ones that stand.
    const twice = { isAmendment: true, number: 3, filed: '2020-03-12' } as const;
    const other = { shares: '51', pricePerShare: '8', sharesOwnedAfter: '7' };
    expect(standing(tranches, corrected, form4({ ...twice, rows: [other, other] }))).toEqual(['3:1', '3:2']);
  });

  test.each([
    ['known by the shares owned after', ['200', '10.25', '700'], ['1:1', '1:3', '2:1'], true],
    ['known by its shares', ['300', '10.45', '390'], ['1:1', '1:2', '2:1'], true],
    ['known by its price', ['210', '10.20', '680'], ['1:1', '1:3', '2:1'], true],
    ['of the same total', ['600', '10.27', '390'], ['2:1'], true],
    ['that matches nothing', ['50', '9', '1'], ['1:1', '1:2', '1:3', '2:1'], false],
    ['left out before, with the shares of one', ['200', '10.50', '200'], ['1:1', '1:2', '1:3', '2:1'], false],
    ['left out before, with the price of one', ['50', '10', '850'], ['1:1', '1:2', '1:3', '2:1'], false],
  ] as const)('of one tranche of three, %s (rule 6.5)', (_name, row, left, isReconciled) => {
    const filings = [form4({ number: 1, rows: THREE }), amendment({ number: 2, rows: rowsOf(row) })];
    expect(standing(...filings)).toEqual(left);
    const reasons = isReconciled ? [] : ['unreconciled_amendment'];
    expect(tradesOf(filings, AS_OF).at(-1)?.reasons).toEqual(reasons);
  });

  test('of one tranche keeps the amendment of another (rule 6.5)', () => {
    const three = form4({ number: 1, rows: THREE });
    const second = amendment({ number: 2, rows: rowsOf(['200', '10.25', '700']) });
    const third = amendment({ number: 3, filed: '2020-03-12', rows: rowsOf(['300', '10.45', '400']) });
    expect(standing(three, second, third)).toEqual(['1:1', '2:1', '3:1']);
    const again = amendment({ number: 4, filed: '2020-03-13', rows: rowsOf(['200', '10.26', '700']) });
    expect(standing(three, second, third, again)).toEqual(['1:1', '3:1', '4:1']);
    const first = tradesOf([three, second, third, again], AS_OF)[1];
    expect([first?.row.shares, first?.supersededBy]).toEqual(['200', accessionNo(500_004)]);
    const all = amendment({
      ...{ number: 5, filed: '2020-03-14' },
      rows: rowsOf(['10', '8', '99'], ['20', '8', '79'], ['30', '8', '49']),
    });
    expect(standing(three, second, third, again, all)).toEqual(['5:1', '5:2', '5:3']);
  });

  test.each([
    ['continues from the shares owned', ['200', '10.50', '500'], ['1:1', '2:1']],
    ['continues at the same price', ['200', '10', '500'], ['1:1', '2:1']],
    ['continues by as many shares at another price', ['300', '10.50', '400'], ['1:1', '2:1']],
    ['corrects the shares owned after', ['300', '10', '400'], ['2:1']],
    ['corrects every amount', ['310', '10.50', '690'], ['2:1']],
  ] as const)('with one row for one row %s (rule 6.5)', (_name, row, left) => {
    const filings = [
      form4({ number: 1, rows: rowsOf(['300', '10', '700']) }),
      amendment({ number: 2, rows: rowsOf(row) }),
    ];
    expect(standing(...filings)).toEqual(left);
    const reasons = left.length > 1 ? ['unreconciled_amendment'] : [];
    expect(tradesOf(filings, AS_OF).at(-1)?.reasons).toEqual(reasons);
  });

  test('of one tranche and a forgotten one keeps the others, unless it has all of them (rule 6.5)', () => {
    const [first, second, third] = THREE;
    const two = form4({ number: 1, rows: [first ?? {}, second ?? {}] });
    const fix = (...rows: NonNullable<FormFields['rows']>) => amendment({ number: 2, rows });
    const corrected = { ...second, pricePerShare: '10.25' };
    const next = { shares: '50', pricePerShare: '10.50', sharesOwnedAfter: '350' };
    const doubted = (...filings: Ownership[]) =>
      tradesOf(filings, AS_OF).flatMap(({ row, reasons }) =>
        reasons.includes('unreconciled_amendment') ? row.shares : [],
      );
    const added = fix(corrected, third ?? {}, next);
    expect(standing(two, added)).toEqual(['1:1', '2:1', '2:2', '2:3']);
    expect(doubted(two, added)).toEqual(['300', '50']);
    const whole = fix(first ?? {}, corrected, third ?? {}, next);
    expect(standing(two, whole)).toEqual(['2:1', '2:2', '2:3', '2:4']);
    expect(doubted(two, whole)).toEqual([]);
  });

  test('of one of two rows of the same shares and price is matched by the shares owned after, or not at all (rule 6.5)', () => {
    const twice = (after: string) => [
      form4({ number: 1, rows: rowsOf(['300', '10', '700'], ['300', '10', '5000']) }),
      amendment({ number: 2, rows: rowsOf(['300', '10.10', after]) }),
    ];
    expect(standing(...twice('700'))).toEqual(['1:2', '2:1']);
    expect(standing(...twice('690'))).toEqual(['1:1', '1:2', '2:1']);
    const unclear = rowsOf(['300', '10', '4700']);
    const filings = [...twice('1').slice(0, 1), amendment({ number: 2, rows: unclear })];
    expect(standing(...filings)).toEqual(['1:1', '1:2', '2:1']);
    expect(tradesOf(filings, AS_OF).at(-1)?.reasons).toEqual(['unreconciled_amendment']);
  });

  test('of shares owned by a trust keeps the directly owned ones, unless the ownership was the mistake (rule 6.5)', () => {
    const [direct, held] = rowsOf(['300', '10', '700'], ['300', '10', '5000']);
    const trust = { ownership: 'indirect', natureOfOwnership: 'By Trust' } as const;
    const both = form4({ number: 1, rows: [{ ...direct }, { ...held, ...trust }] });
    const fix = (...rows: Partial<OwnershipRow>[]) => amendment({ number: 2, rows });
    const respelt = { ...held, ...trust, natureOfOwnership: 'by trust.' };
    expect(standing(both, fix({ ...respelt, sharesOwnedAfter: '4700' }))).toEqual(['1:1', '2:1']);
    expect(standing(both, fix({ ...respelt, shares: '310', pricePerShare: '9' }))).toEqual(['1:1', '2:1']);
    expect(standing(both, fix({ ...direct, sharesOwnedAfter: '701' }))).toEqual(['1:2', '2:1']);
    // A row that changed its ownership, alone and next to a right one.
    const alone = form4({ number: 1, rows: [{ ...direct }] });
    expect(standing(alone, fix({ ...direct, ...trust }))).toEqual(['2:1']);
    const spouse = { ...trust, natureOfOwnership: 'By Spouse' };
    expect(standing(both, fix({ ...direct, ...trust }, { ...held, ...trust }))).toEqual(['2:1', '2:2']);
    expect(standing(both, fix({ ...held, ...spouse }))).toEqual(['1:1', '2:1']);
  });
});
