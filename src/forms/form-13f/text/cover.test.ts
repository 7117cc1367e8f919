import { expect, test } from 'vitest';
import { outcomeOf, thirteenFOf } from '../../../../test/filings/read.ts';
import { type TextCells, textSubmission } from '../../../../test/filings/text-table.ts';

const ROWS: readonly TextCells[] = [
  ['APPLE INC', 'COM', '037833100', '1,433', '100,000'],
  ['INTL BUSINESS MACHS', 'COM', '459200101', '7,750', '100,000'],
  ['COCA COLA CO', 'COM', '191216100', '4,384', '100,000'],
];
const ENTRY = 'Form 13F Information Table Entry Total:';
const VALUE = 'Form 13F Information Table Value Total:';

function declaredOf(...summary: readonly string[]) {
  const filing = thirteenFOf(textSubmission({ lines: ROWS, summary }));
  return [filing.declaredEntryTotal, filing.declaredValueTotal];
}

test('a total may be alone on a line below its words', () => {
  expect(declaredOf(ENTRY, '   3', VALUE, '  ---------', '  $13,567 (thousands)')).toEqual([3, 13_567n]);
  expect(declaredOf(`${ENTRY} 3`, `${VALUE} $`, '', '   13,567')).toEqual([3, 13_567n]);
});

test('a figure of another line is not a total', () => {
  expect(declaredOf(`${ENTRY} 3`, VALUE, 'List of Other Included Managers: 1')).toEqual([3, null]);
  expect(outcomeOf(textSubmission({ lines: ROWS, summary: [ENTRY, VALUE, '3', '13,567'] }))).toBe(
    'text_information_table',
  );
});

test('text in brackets next to a total is not the total', () => {
  expect(declaredOf(`${ENTRY} (1 page) 3`, `${VALUE} (x 1000) $13,567`)).toEqual([3, 13_567n]);
  expect(declaredOf(`${ENTRY} 3 (1 page)`, `${VALUE} $13,567 (x 1000)`)).toEqual([3, 13_567n]);
});

test.each([
  ['[ ] is a restatement. [X] adds new holdings entries.', 'new_holdings'],
  ['[X] is a restatement. [ ] adds new holdings entries.', 'restatement'],
  ['[X] is a restatement. [X] adds new holdings entries.', null],
  ['_X_ is a restatement.\n___ adds new holdings entries.', 'restatement'],
  ['___ is a restatement. _X_ adds new holdings entries.', 'new_holdings'],
  ['is a restatement. [X] adds new holdings entries. [ ]', null],
  ['is a restatement. ___ adds new holdings entries. _X_', null],
  ['[ ] is a restatement. [X] adds new holdings entries. [ ]', null],
  ['[ ] is a restatement.\n[X] adds new holdings entries. (Check only one.)', 'new_holdings'],
])('the box of an amendment is read from %j (rule 2.14)', (line, type) => {
  const cover = [
    'Check here if Amendment [X]; Amendment Number: 1',
    `This Amendment (Check only one.): ${line}`,
  ];
  const form = '13F-HR/A';
  expect(thirteenFOf(textSubmission({ lines: ROWS, cover, form })).amendmentType).toBe(type);
});
