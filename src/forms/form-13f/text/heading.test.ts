import { expect, test } from 'vitest';
import { outcomeOf, thirteenFOf } from '../../../../test/filings/read.ts';
import { type TextCells, textSubmission, totals } from '../../../../test/filings/text-table.ts';

const table = (heading: string, ...lines: readonly TextCells[]) =>
  textSubmission({ lines, heading: ['VALUE', heading], summary: totals(2, '9,183') });
const apple = (amount: string, rest: string): TextCells => {
  return ['APPLE INC', 'COM', '037833100', '1,433', amount, rest];
};
const ibm = (amount: string, rest: string): TextCells => {
  return ['INTL BUSINESS MACHS', 'COM', '459200101', '7,750', amount, rest];
};

/** A table with another number between its values and its share counts of 90,000 and 80,000. */
function between([heading, first, second]: readonly [string, string, string], rest: string): string {
  return table(heading, apple(first, `90,000  ${rest}`), ibm(second, `80,000  ${rest}`));
}

test.each([
  ['PRICE', '14.33', '77.50'],
  ['QTY', '14.33', '77.50'],
  ['QTY', '14', '77'],
  ['QTY', '14 1/2', '77 1/2'],
  ['% PORT', '15.6', '84.4'],
  ['SHARES', '60,000', '70,000'],
])('under %s a number before the share count is never read as the share count (rule 2.15)', (...column) => {
  expect(outcomeOf(between(column, 'SH SOLE'))).toBe('text_information_table');
  expect(outcomeOf(between(column, 'SOLE  90,000  0  0'))).toBe('text_information_table');
  expect(outcomeOf(between(column, ''))).toBe('text_information_table');
});

test.each(['PRICE', 'PX', '% PORT', 'PRIOR', 'COST', 'PCT CHANGE'])(
  'a heading of %s over the share counts is an error, even if the total agrees (rule 2.15)',
  (heading) => {
    const rows = [apple('100,000', 'SH SOLE'), ibm('100,000', 'SH SOLE')];
    expect(outcomeOf(table(heading, ...rows))).toBe('text_information_table');
    expect(outcomeOf(table('SHARES', ...rows))).toMatchObject({ textConfidence: 'high' });
  },
);

test('a note in running text above the table is not a heading', () => {
  const rows = [apple('100,000', 'SH SOLE'), ibm('100,000', 'SH SOLE')];
  const note =
    'Holdings are valued at the closing price of the day; the percent change since the prior quarter';
  const noted = (...lines: string[]) =>
    outcomeOf(textSubmission({ lines: [...lines, ...rows], summary: totals(2, '9,183') }));
  expect(noted(note, 'and the cost of each position are given on request.')).toMatchObject({
    textConfidence: 'high',
  });
  expect(noted('NAME OF THE ISSUER        TITLE OF THE CLASS  CUSIP        PRICE     SHARES  SH/PRN')).toBe(
    'text_information_table',
  );
});

test('a note does not prove that values come before shares (rule 2.15)', () => {
  const note = 'The table below was made so that for each position the value is before the shares held';
  const lines = [note, apple('100,000', 'SH SOLE'), ibm('100,000', 'SH SOLE')];
  expect(outcomeOf(textSubmission({ lines, heading: ['AMOUNT', 'COUNT'] }))).toBe('text_information_table');
});

test('a price right of the share counts is harmless', () => {
  const heading = `SHARES  SH/PRN${' '.repeat(20)}PRICE`;
  expect(outcomeOf(table(heading, apple('100,000', 'SH SOLE'), ibm('100,000', 'SH SOLE')))).toMatchObject({
    textConfidence: 'high',
  });
});

test('votes may directly follow the share count when they add up to it', () => {
  const votes = table('SHARES', apple('100,000', '60,000  40,000  0'), ibm('100,000', '100,000'));
  const { rows, textConfidence } = thirteenFOf(votes);
  expect([textConfidence, rows.map(({ amount }) => amount)]).toEqual(['high', [100_000n, 100_000n]]);
});
