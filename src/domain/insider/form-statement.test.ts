import { expect, test } from 'vitest';
import { AS_OF, form4 } from '../brief/brief.sample.ts';
import type { Ownership } from '../filing/filing.ts';
import { tradesOf } from './trades.ts';

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
