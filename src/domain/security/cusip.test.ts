import { expect, test } from 'vitest';
import type { Cusip } from '../ids.ts';
import { cusipCheckDigitOk, misprintsOf } from './cusip.ts';

test.each([
  '037833100',
  '02079K107',
  '02079K305',
  'G7823S101',
  'H1467J104',
  '00165C104',
  '00165C302',
  '78462F103',
  '000000000',
])('the check digit of %s is correct (rule 3.1)', (cusip) => {
  expect(cusipCheckDigitOk(cusip as Cusip)).toBe(true);
});

test.each(['037833900', '037833950', '78462F953', '544147901', '002171573', '037833101'])(
  'the check digit of %s is wrong, as for option classes (rule 3.1)',
  (cusip) => {
    expect(cusipCheckDigitOk(cusip as Cusip)).toBe(false);
  },
);

test('the three special characters count as 36, 37 and 38 (rule 3.1)', () => {
  // * @ # at positions 1, 3, 5 are not doubled: 3+6, 3+7, 3+8 = 30, so the digit is 0.
  expect(cusipCheckDigitOk('*0@0#0000' as Cusip)).toBe(true);
  expect(cusipCheckDigitOk('*0@0#0001' as Cusip)).toBe(false);
});

test('a single wrong digit always fails the check (rule 3.1)', () => {
  for (const digit of '0123456789') {
    expect(cusipCheckDigitOk(`03783310${digit}` as Cusip)).toBe(digit === '0');
    expect(cusipCheckDigitOk(`0378331${digit}0` as Cusip)).toBe(digit === '0');
  }
});

test('one typing error leads from a CUSIP to its misprints and back, and never to another right one (rule 5.6)', () => {
  const [nu, asBerkshireTyped] = ['G6683N103', 'G6693N103'] as Cusip[] as [Cusip, Cusip];
  expect(misprintsOf(nu)).toEqual(expect.arrayContaining([asBerkshireTyped, '6G683N103', 'G6683M103']));
  expect(misprintsOf(asBerkshireTyped)).toContain(nu);
  expect(misprintsOf(nu).filter(cusipCheckDigitOk)).toEqual([]);
  expect(misprintsOf(asBerkshireTyped).every(cusipCheckDigitOk)).toBe(true);
});
