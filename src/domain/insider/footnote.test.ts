import { describe, expect, test } from 'vitest';
import { AS_OF, form4 } from '../brief/brief.sample.ts';
import type { OwnershipRow } from '../filing/filing.ts';
import { footnotesOf } from './kind.ts';
import { tradesOf } from './trades.ts';

const reasonsOf = (text: string, row: Partial<OwnershipRow> = {}): readonly string[] => {
  const footnotes = [{ id: 'F1', text }];
  const form = form4({
    number: 1,
    footnotes,
    rows: [{ footnoteIds: { transactionPricePerShare: ['F1'] }, ...row }],
  });
  return tradesOf([form], AS_OF)[0]?.reasons ?? ['no trade'];
};

describe('footnotes', () => {
  test.each(['The price is a weighted average price.', 'weighted-average sale price', 'WEIGHTED  AVERAGE'])(
    'a weighted average is a price, and marked: %s (rule 6.8)',
    (text) => {
      expect(reasonsOf(text)).toEqual(['weighted_average_price']);
    },
  );

  test('without a price no average is marked (rule 6.8)', () => {
    expect(reasonsOf('Weighted average price.', { pricePerShare: null })).toEqual(['price_missing']);
  });

  test.each([
    'a Rule 10b5-1 trading plan',
    'RULE 10B5-1 PLAN',
    'rule 10b-5-1',
    'Rule 10b5–1(c)',
    'Rule 10b5 - 1',
    '10b51 plan',
    'Rule 10b5.1',
  ])('a plan is marked: %s (rule 6.8)', (text) => {
    expect(reasonsOf(text)).toEqual(['plan_sale', 'footnote_mentions_10b5_1']);
  });

  test.each([
    'in compliance with Rule 10b-5.',
    'under Rule 10b-5. 1 share was withheld',
    'Rule 10b-5 1,000 shares',
    'Rule 10b-5 and 16b-3',
    'Rule 10b5',
    'Rule 10b5-12',
    'about 10 b 5 1',
  ])('the anti-fraud rule is no plan: %s (rule 6.8)', (text) => {
    expect(reasonsOf(text)).toEqual([]);
  });

  test('a plan in a footnote does not change the three-valued element of the form (rule 6.8)', () => {
    for (const is10b51 of [true, false, null]) {
      const form = form4({ number: 1, is10b51, footnotes: [{ id: 'F1', text: 'Rule 10b5-1 plan' }] });
      expect(tradesOf([form], AS_OF)[0]?.filing.is10b51).toBe(is10b51);
    }
  });

  test.each([
    'Each American Depositary Share ("ADS") currently represents twenty (20) Ordinary Shares.',
    'Each ADS represents 5 common shares',
    'The depositary receipts each represent one half of a share',
  ])('a ratio of depositary shares is marked: %s (rule 6.8)', (text) => {
    expect(reasonsOf(text)).toEqual(['depositary_ratio']);
  });

  test.each(['Sold as ADSs.', 'Depositary: Citibank. The plan represents nothing.', 'reads and represents'])(
    'no ratio: %s (rule 6.8)',
    (text) => {
      expect(reasonsOf(text)).toEqual([]);
    },
  );

  test('a footnote of another row does not mark this one (rule 6.8)', () => {
    const form = form4({ number: 1, footnotes: [{ id: 'F1', text: '10b5-1 plan, weighted average' }] });
    expect(tradesOf([form], AS_OF)[0]?.reasons).toEqual([]);
  });

  test('a ratio of depositary shares marks every row of the form (rule 6.8)', () => {
    const footnotes = [
      { id: 'F1', text: 'Each American Depositary Share represents five (5) Common Shares.' },
    ];
    const rows = [{ footnoteIds: { sharesOwnedFollowingTransaction: ['F1'] } }, {}];
    const trades = tradesOf([form4({ number: 1, footnotes, rows })], AS_OF);
    expect(trades.map(({ reasons }) => reasons)).toEqual([['depositary_ratio'], ['depositary_ratio']]);
  });

  test('each is shown once, with all values of the row that it qualifies (rule 6.8)', () => {
    const footnotes = [
      { id: 'F1', text: 'One.' },
      { id: 'F2', text: 'Two.' },
    ];
    const footnoteIds = {
      transactionShares: ['F2', 'F1'],
      transactionPricePerShare: ['F1', 'F9'],
      transactionTimeliness: ['F2'],
    };
    const form = form4({ number: 1, footnotes, rows: [{ footnoteIds }] });
    expect(form.rows.map((row) => footnotesOf(form, row))).toEqual([
      [
        { id: 'F2', text: 'Two.', qualifies: ['shares', 'transaction_timeliness'] },
        { id: 'F1', text: 'One.', qualifies: ['shares', 'price_per_share'] },
      ],
    ]);
  });
});
