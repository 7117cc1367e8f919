import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { constructedSubmission, filingText, ownershipOf } from '../../../test/filings/read.ts';
import { AS_OF, form4 } from '../brief/brief.sample.ts';
import type { Ownership, OwnershipRow } from '../filing/filing.ts';
import type { IsoDate } from '../ids.ts';
import type { Trade } from './trade.ts';
import { allRowsOf, tradesOf } from './trades.ts';

function bundled(corpus: 'corpus' | 'quarter', accession: string): Ownership {
  const path = `../../../demo/${corpus}/filings/${accession}.txt`;
  return ownershipOf(readFileSync(new URL(path, import.meta.url)));
}

const corpusForm = (accession: string): Ownership => bundled('corpus', accession);
const quarterForm = (accession: string): Ownership => bundled('quarter', accession);

/** In a constructed container: only the document is the SEC's. */
function looseForm(accession: string, filed: string): Ownership {
  const xml = filingText(`xml-only/${accession}.xml`);
  return ownershipOf(
    constructedSubmission({ accession, form: '4', period: filed, filed, documents: [['4', xml]] }),
  );
}

function kindsOf(form: Ownership): (string | null)[] {
  return tradesOf([form], '2026-12-31' as IsoDate)
    .filter(({ side }) => side !== 'other')
    .map(({ kind }) => kind);
}

describe('real forms', () => {
  test('the exercised shares cover the sales of the day in the order of the rows, and no others', () => {
    // 1,005 exercised; sold 1,005, then 1,177 and 1,323.
    const kinds = ['exercise_and_sell', 'discretionary', 'discretionary'];
    expect(kindsOf(corpusForm('0001214659-20-001561'))).toEqual(kinds);
  });

  test('shares that a trust sold are not those exercised on that day (Monster)', () => {
    // 1,400 units settled directly; 1,251 sold "Through trust".
    expect(kindsOf(quarterForm('0001567619-23-005069'))).toEqual(['discretionary']);
  });

  test('a plan in a footnote before the box existed (HubSpot), and purchases beside it', () => {
    expect(kindsOf(corpusForm('0001209191-20-010485'))).toEqual(['plan', 'plan', 'plan']);
    expect(kindsOf(corpusForm('0001209191-20-019236'))).toEqual(['discretionary', 'discretionary']);
  });

  test('sales "solely" for taxes come before plans, and plans before exercises of the day', () => {
    const kinds = kindsOf(looseForm('0000899243-21-049992', '20211228'));
    const count = (kind: string): number => kinds.filter((one) => one === kind).length;
    expect([count('tax_cover'), count('plan'), kinds.length]).toEqual([15, 14, 29]);
  });

  test('shares exercised and sold under a plan, some of them for taxes, are sold under the plan', () => {
    expect(kindsOf(looseForm('0001104659-26-062860', '20260514'))).toEqual(['plan']);
  });

  test('tax planning is a decision', () => {
    expect(new Set(kindsOf(looseForm('0000796343-26-000105', '20260429')))).toEqual(
      new Set(['discretionary']),
    );
  });
});

/** A sale with one footnote at its shares. */
function soldWith(text: string, form: Partial<Ownership> = {}): Trade | undefined {
  const rows = [{ footnoteIds: { transactionShares: ['F1'] } }];
  return tradesOf([form4({ number: 1, rows, footnotes: [{ id: 'F1', text }], ...form })], AS_OF)[0];
}

describe('a plan (rule 6.11)', () => {
  test.each([
    'The sales were effected pursuant to a Rule 10b5-1 trading plan.',
    'The Reporting Person does not have discretion over sales made pursuant to a Rule 10b5-1 plan.',
    'Not a discretionary sale: executed under a 10b5-1 plan adopted when she was not aware of news.',
  ])('is stated: %s', (text) => {
    expect(soldWith(text)).toMatchObject({ kind: 'plan' });
    expect(soldWith(text)?.reasons).toEqual(['plan_sale', 'footnote_mentions_10b5_1']);
  });

  test.each([
    'This sale was not made pursuant to a Rule 10b5-1 trading plan.',
    'The transaction was not effected under any 10b5-1 plan',
    'None of these sales were made under a Rule 10b5-1 plan.',
    'Sold outside of the Rule 10b5-1 plan.',
    'A 10b5-1 plan was not used.',
  ])('is denied, whatever the box of the form: %s', (text) => {
    for (const is10b51 of [true, false, null])
      expect(soldWith(text, { is10b51 })).toMatchObject({
        kind: 'discretionary',
        reasons: ['footnote_mentions_10b5_1'],
      });
  });

  test('is what the box says where no footnote of the row does, of purchases too', () => {
    expect(soldWith('A note.', { is10b51: true })).toMatchObject({ kind: 'plan', reasons: ['plan_sale'] });
    expect(soldWith('A note.', { is10b51: false })).toMatchObject({ kind: 'discretionary', reasons: [] });
    const bought = tradesOf([form4({ number: 1, is10b51: true, rows: [{ code: 'P' }] })], AS_OF);
    expect(bought[0]).toMatchObject({ side: 'buy', kind: 'plan', reasons: [] });
  });
});

describe('a sale to pay taxes (rule 6.11)', () => {
  test.each([
    'Shares sold to cover tax withholding obligations upon the vesting of restricted stock units.',
    'Sold under a Rule 10b5-1 plan to satisfy the tax withholding obligations of the reporting person.',
    'This mandatory sell-to-cover transaction is not discretionary.',
    'The sale was required for the payment of withholding taxes.',
    'The sale was made to accommodate taxable income payment obligations in connection with the settlement of restricted stock units.',
    'Shares sold for tax liability upon the vesting of shares.',
    'The sale was associated with tax obligations of the reporting person.',
    'Sold in connection with the reporting person’s tax liabilities on vested units.',
    'These shares were sold to settle income taxes due upon vesting.',
    'Sold to cover taxes in connection with units that vested upon the closing of the initial public offering.',
    'Sold to satisfy tax obligations of units granted prior to the initial public offering.',
    'Sold to cover taxes. The total includes 500 shares acquired in the initial public offering.',
    'Sold to cover taxes due upon vesting; includes shares purchased in the offering period of the ESPP.',
  ])('%s', (text) => {
    expect(soldWith(text)?.kind).toBe('tax_cover');
    expect(soldWith(text)?.reasons).toContain('sell_to_cover');
  });

  test.each([
    'These shares were not sold to cover taxes.',
    'The sale was made for financial and tax planning purposes.',
    'Sold in part to cover taxes.',
    'Sold for estate and tax planning.',
    'The sale was not associated with tax obligations.',
    'Sold in an underwritten public offering to pay taxes on the exercise.',
    "Sold as part of the Issuer's registered offering, solely to satisfy tax obligations.",
  ])('is none: %s', (text) => {
    expect(soldWith(text)?.kind).toBe('discretionary');
  });
});

describe('an exercise beside a sale (rule 6.11)', () => {
  const kinds = (...rows: Partial<OwnershipRow>[]): (string | null)[] =>
    tradesOf([form4({ number: 1, rows })], AS_OF).map(({ kind }) => kind);
  const exercised = { code: 'M', acquiredDisposed: 'A' } as const;

  test('covers sales of its day up to its own shares', () => {
    expect(kinds(exercised, {})).toEqual([null, 'exercise_and_sell']);
    expect(kinds(exercised, { shares: '60' }, { shares: '40' }, { shares: '1' })).toEqual([
      null,
      'exercise_and_sell',
      'exercise_and_sell',
      'discretionary',
    ]);
    expect(kinds(exercised, { shares: '101' })).toEqual([null, 'discretionary']);
    expect(kinds(exercised, { transactionDate: '2020-03-03' as IsoDate })).toEqual([null, 'discretionary']);
  });

  test('is none where one class was converted into another', () => {
    expect(kinds({ ...exercised, code: 'C' }, {})).toEqual([null, 'discretionary']);
  });

  test('no row of the derivative table has a kind', () => {
    const form = form4({ number: 1, is10b51: true, rows: [{ table: 'derivative' }] });
    expect(allRowsOf([form], AS_OF)[0]).toMatchObject({ kind: null, reasons: [] });
  });
});

describe('an amendment that repeats only the sale', () => {
  const sold = { code: 'S', acquiredDisposed: 'D' } as const;
  const exercise = { code: 'M', acquiredDisposed: 'A', shares: '100', pricePerShare: '2' } as const;
  const original = form4({ number: 1, rows: [exercise, sold] });
  const kindAfter = (rows: Partial<OwnershipRow>[], is10b51: boolean | null = null) =>
    tradesOf(
      [original, form4({ number: 2, filed: '2020-03-09', isAmendment: true, is10b51, rows })],
      AS_OF,
    ).find(({ filing, side }) => filing.isAmendment && side === 'sell');

  test('is still covered by the exercise in the original (rule 6.11)', () => {
    const trade = kindAfter([{ ...sold, pricePerShare: '10.50' }]);
    expect(trade?.kind).toBe('exercise_and_sell');
    expect(trade?.reasons).toEqual(['exercise_and_sell']);
  });

  test('of more shares, under a plan, or beside an exercise of its own, it is judged by its own form (rule 6.11)', () => {
    expect(kindAfter([sold], true)?.kind).toBe('plan');
    expect(kindAfter([{ ...sold, shares: '300' }])?.kind).toBe('discretionary');
    expect(kindAfter([{ ...exercise, shares: '50' }, sold])?.kind).toBe('discretionary');
  });
});

/** The kinds of a sale and a purchase without footnotes. */
function kindsWith(form: Partial<Ownership>): (string | null)[] {
  const rows = [{}, { code: 'P', acquiredDisposed: 'A' as const }];
  return tradesOf([form4({ number: 1, rows, ...form })], AS_OF).map(({ kind }) => kind);
}
const noted = (text: string): Partial<Ownership> => ({ footnotes: [{ id: 'F9', text }] });

test.each([
  'All transactions reported in this Form 4 were effected pursuant to a Rule 10b5-1 Trading Plan.',
  'Transaction reported in this Form 4 was effected pursuant to Rule 10b5-1 Trading Plan adopted by the Reporting Person.',
  'All transactions reported in this Form 4 were effected pursuant to a Rule 10b5-1 Trading Plan adopted by the Reporting Person on May 28, 2022.',
  'Chief Executive Officer. The transactions were made under a 10b5-1 plan that was not amended since.',
])('a plan of the whole form in its remarks is that of every trade (rule 6.11): %s', (remarks) => {
  expect(kindsWith({ remarks })).toEqual(['plan', 'plan']);
});

test('a statement about sales speaks of no purchase (rule 6.11)', () => {
  const remarks = 'Shares were sold pursuant to a Rule 10b5-1 plan.';
  expect(kindsWith({ remarks })).toEqual(['plan', 'discretionary']);
  expect(kindsWith({ remarks: 'All purchases were effected under a 10b5-1 plan.' })).toEqual([
    'discretionary',
    'plan',
  ]);
});

test.each([
  'The sales reported on this Form 4 were made pursuant to a Rule 10b5-1 trading plan adopted on March 7, 2022.',
  'Weighted average price. The sales reported herein were effected pursuant to a Rule 10b5-1 trading plan.',
  'The sale transactions disclosed in this report were executed under a 10b5-1 plan.',
])('a footnote of another row that speaks of the form does too (rule 6.11): %s', (text) => {
  expect(kindsWith(noted(text))[0]).toBe('plan');
});

test.each([
  'None of the transactions reported in this Form 4 were effected pursuant to a Rule 10b5-1 plan.',
  'The transactions reported in this Form 4 were not effected pursuant to a Rule 10b5-1 plan.',
  'Certain transactions reported in this Form 4 were effected pursuant to a Rule 10b5-1 plan.',
  'The sales reported in this Form 4, other than the last, were made under a 10b5-1 plan.',
  'The Reporting Person adopted a Rule 10b5-1 plan for the sale of 10,000 shares.',
  'The sales reported in this Form 4 may be followed by sales made under a 10b5-1 plan.',
  'The stock option exercise reported in this Form 4 was effected pursuant to a Rule 10b5-1 trading plan.',
])('what denies a plan, or speaks of some trades, makes none a plan (rule 6.11): %s', (text) => {
  expect(kindsWith({ remarks: text })).toEqual(['discretionary', 'discretionary']);
  expect(kindsWith(noted(text))).toEqual(['discretionary', 'discretionary']);
});

test('a footnote of another row that does not name the form speaks for its own row (rule 6.8)', () => {
  const texts = [
    'The sale was effected pursuant to a Rule 10b5-1 plan.',
    'Sold under a Rule 10b5-1 plan to exercise options to purchase 500 shares reported herein.',
  ];
  for (const text of texts) expect(kindsWith(noted(text))[0]).toBe('discretionary');
});

test("the row's own denial overrules what the form says (rule 6.11)", () => {
  const rows = [{ footnoteIds: { transactionCode: ['F1'] } }];
  const footnotes = [{ id: 'F1', text: 'This sale was not made under a Rule 10b5-1 plan.' }];
  const remarks = 'All transactions were effected pursuant to a Rule 10b5-1 plan.';
  const form = form4({ number: 1, rows, footnotes, remarks });
  expect(tradesOf([form], AS_OF)[0]?.kind).toBe('discretionary');
});

test('sales for taxes may stand in the remarks (rule 6.11)', () => {
  const remarks =
    'All reported sales were made to cover tax withholdings due on vesting of restricted stock units.';
  expect(kindsWith({ remarks })).toEqual(['tax_cover', 'discretionary']);
});
