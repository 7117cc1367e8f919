import { describe, expect, test } from 'vitest';
import { briefInput, type FormFields, form4, reportingOwner } from '../brief/brief.sample.ts';
import { insiderLeg } from '../brief/insider-leg.ts';
import { addDays } from '../calendar.ts';
import type { Ownership } from '../filing/filing.ts';
import type { IsoDate, QuarterEnd } from '../ids.ts';

const day = (text: string): IsoDate => text as IsoDate;
const LAST = day('2020-03-04');
type Row = NonNullable<FormFields['rows']>[number];

let number = 0;
/** A purchase on a form of its own, which another owner files. */
function purchase(row: Row): Ownership {
  number += 1;
  return form4({ number, owners: [reportingOwner(number)], rows: [{ code: 'P', ...row }] });
}
const bought = (shares: string, pricePerShare: string, transactionDate = LAST): Ownership =>
  purchase({ shares, pricePerShare, transactionDate });

/** The prices that are doubted where no 13F report has a price. */
function doubted(...ownershipFilings: Ownership[]): (string | null)[] {
  const { trades } = insiderLeg(briefInput({ ownershipFilings }), true);
  const far = trades.filter(({ reasons }) => reasons.includes('price_implausible'));
  return far.map(({ row }) => row.pricePerShare).sort();
}

describe('a price that no 13F report can check, beside other trades of the security (rule 6.3)', () => {
  const before = [bought('8000', '1.40', day('2020-03-02')), bought('8000', '1.38', day('2020-03-03'))];

  test('is doubted if it is the total of its row', () => {
    expect(doubted(...before, bought('8000', '11200'))).toEqual(['11200']);
    expect(doubted(bought('8000', '11200'), before[0] as Ownership)).toEqual(['11200']);
    const { totals } = insiderLeg(
      briefInput({ ownershipFilings: [...before, bought('8000', '11200')] }),
      true,
    );
    expect(totals.buy_value_usd).toBe(22_240);
  });

  test('is doubted in several rows of one form, which do not confirm each other', () => {
    const transactionDate = LAST;
    const rows = [
      { code: 'P', shares: '8000', pricePerShare: '11200', transactionDate },
      { code: 'P', shares: '5000', pricePerShare: '7000', transactionDate },
      { code: 'P', shares: '100', pricePerShare: '1.39', transactionDate },
    ];
    const form = form4({ number: 99, owners: [reportingOwner(99)], rows });
    expect(doubted(form)).toEqual(['11200', '7000']);
  });

  test('is doubted without being a total if it is far from the trades before and after it', () => {
    const around = [bought('8000', '1.40', day('2020-02-20')), bought('8000', '1.38', LAST)];
    expect(doubted(...around, bought('20000', '140', day('2020-02-27')))).toEqual(['140']);
    expect(doubted(around[0] as Ownership, bought('20000', '140', day('2020-02-27')))).toEqual([]);
  });

  test('is not doubted by the price of another class, of a quarter ago, or by what founders pay', () => {
    const other = purchase({
      securityTitle: 'Preferred',
      shares: '8000',
      pricePerShare: '1.40',
      transactionDate: day('2020-03-02'),
    });
    expect(doubted(other, bought('8000', '11200'))).toEqual([]);
    expect(doubted(bought('8000', '1.40', addDays(LAST, -93)), bought('8000', '11200'))).toEqual([]);
    expect(doubted(bought('500000', '0.003', day('2020-03-02')), bought('5000', '17'))).toEqual([]);
  });

  test('is not doubted between trades at its own price', () => {
    const split = [bought('100', '1.40', day('2020-02-20')), bought('400', '15', day('2020-03-03'))];
    expect(doubted(...split, bought('8000', '15.2'))).toEqual([]);
  });

  test('is judged by the price of 13F reports where they decide', () => {
    const issuerPrices = new Map([['2019-12-31' as QuarterEnd, { valueCents: 1_700n, shares: 1n }]]);
    const filings = [bought('8000', '0.02', day('2020-03-02')), bought('900', '18')];
    const leg = (prices: typeof issuerPrices) =>
      insiderLeg(briefInput({ ownershipFilings: filings, issuerPrices: prices }), true);
    const reasons = (prices: typeof issuerPrices) => leg(prices).trades.flatMap((trade) => trade.reasons);
    expect(reasons(issuerPrices)).toEqual([]);
    expect(reasons(new Map())).toEqual(['price_implausible']);
  });
});
