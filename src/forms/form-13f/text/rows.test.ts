import { expect, test } from 'vitest';
import { thirteenFOf } from '../../../../test/filings/read.ts';
import { type TextCells, textSubmission, totals } from '../../../../test/filings/text-table.ts';

/** True for each row that is unsure; `rests` are the words right of the share counts. */
function unsure(rests: readonly [string, string], cusip = '037833100'): readonly boolean[] {
  const lines: readonly TextCells[] = [
    ['INTL BUSINESS MACHS', 'COM', '459200101', '7,750', '100,000', rests[0]],
    ['APPLE INC', 'COM', cusip, '1,433', '100,000', rests[1]],
  ];
  const { rows } = thirteenFOf(textSubmission({ lines, summary: totals(2, '9,183') }));
  return rows.map(({ reasons }) => reasons.includes('text_value_unsure'));
}

test('a row without an amount type is unsure only in a table that gives types (rule 2.15)', () => {
  expect(unsure(['SH SOLE', 'SH SOLE'])).toEqual([false, false]);
  expect(unsure(['SH SOLE', 'SOLE'])).toEqual([false, true]);
  expect(unsure(['SOLE', 'SOLE'])).toEqual([false, false]);
});

test('a row without an amount type is unsure when its CUSIP is of a bond (rule 2.15)', () => {
  expect(unsure(['SOLE', 'SOLE'], '458140AD2')).toEqual([false, true]);
  expect(unsure(['SH SOLE', 'PRN SOLE'], '458140AD2')).toEqual([false, false]);
});

test('an option needs no amount type (rule 2.15)', () => {
  expect(unsure(['SH SOLE', 'PUT SOLE'])).toEqual([false, false]);
});

test('a zero of the votes is no number of a manager (rule 2.15)', () => {
  const rest = ['SH DEFINED 1 0 0', 'SH DEFINED 1, 2, 3 0', 'SH DEFINED 0', 'SH DEFINED 10,20'];
  const lines = rest.map((one): TextCells => ['APPLE INC', 'COM', '037833100', '1,433', '100,000', one]);
  const { rows } = thirteenFOf(textSubmission({ lines, summary: totals(4, '5,732') }));
  expect(rows.map(({ otherManagers }) => otherManagers)).toEqual(['1', '1, 2, 3', '', '10,20']);
});
