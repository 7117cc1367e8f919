import { expect, test } from 'vitest';
import { thirteenFOf } from '../../../../test/filings/read.ts';
import { type TextCells, textSubmission } from '../../../../test/filings/text-table.ts';
import { foldReport } from '../../../domain/report/fold.ts';

const APPLE: TextCells = ['APPLE INC', 'COM', '037833100', '1,433', '100,000', 'SH SOLE'];
const below = (value: string, shares: string, rest = 'SH SOLE'): TextCells => {
  return ['', '', '', value, shares, rest];
};
const IBM: TextCells = ['INTL BUSINESS MACHS', 'COM', '459200101', '7,750', '100,000', 'SH SOLE'];

function filingOf(...lines: readonly TextCells[]) {
  const sum = lines.reduce((all, [, , , value]) => all + Number(value.replace(',', '')), 0);
  const summary = [
    `Form 13F Information Table Entry Total: ${lines.length}`,
    `Form 13F Information Table Value Total: ${sum}`,
  ];
  return thirteenFOf(textSubmission({ lines, summary }));
}

/** True for each row that is unsure. */
function unsure(...lines: readonly TextCells[]): readonly boolean[] {
  return filingOf(...lines).rows.map(({ reasons }) => reasons.includes('text_value_unsure'));
}

test('rows of one security at one price are certain, also without their own CUSIP', () => {
  expect(unsure(APPLE, below('717', '50,000'), IBM)).toEqual([false, false, false]);
});

test('rows at another price than their CUSIP make its whole position unsure, for any number of rows', () => {
  const report = foldReport([filingOf(APPLE, below('7,750', '100,000'), below('3,875', '50,000'), IBM)]);
  const reasons = report?.positions.map((position) => [position.cusip, position.reasons]);
  expect(reasons).toEqual([
    ['037833100', ['text_value_unsure']],
    ['459200101', []],
  ]);
});

test('rows without their own CUSIP are unsure at a price far from the row above, even when many agree', () => {
  const [second, third] = [below('1,792', '10,000'), below('3,584', '20,000')];
  expect(unsure(APPLE, second, third, IBM)).toEqual([true, true, true, false]);
  const same = [below('717', '50,000'), below('1,433', '100,000'), below('2,866', '200,000')];
  expect(unsure(APPLE, ...same, second, third, IBM)).toEqual([...Array(4).fill(false), true, true, false]);
});

test('a wrong digit in the row with the CUSIP makes only that row unsure', () => {
  const wrong: TextCells = ['APPLE INC', 'COM', '037833100', '1,533', '100,000', 'SH SOLE'];
  const same = [below('717', '50,000'), below('1,433', '100,000'), below('2,866', '200,000')];
  expect(unsure(wrong, ...same, IBM)).toEqual([true, false, false, false, false]);
});

test('a row without a CUSIP is unsure when no row with that CUSIP has its amount type and side (rule 2.15)', () => {
  expect(unsure(APPLE, below('717', '50,000', 'PRN SOLE'), IBM)).toEqual([false, true, false]);
  expect(unsure(APPLE, below('717', '50,000', 'SH PUT SOLE'), IBM)).toEqual([false, true, false]);
  const put: TextCells = ['APPLE INC', 'COM', '037833100', '1,433', '100,000', 'SH PUT SOLE'];
  expect(unsure(APPLE, put, below('717', '50,000', 'SH PUT SOLE'))).toEqual([false, false, false]);
});
