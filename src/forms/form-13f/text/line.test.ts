import { expect, test } from 'vitest';
import { type TextCells, textSubmission, totals } from '../../../../test/filings/text-table.ts';
import { ParseError, parseFiling } from '../../index.ts';

const APPLE: TextCells = ['APPLE INC', 'COM', '037833100', '1,433', '100,000'];
const IBM: TextCells = ['INTL BUSINESS MACHS', 'COM', '459200101', '7,750', '100,000'];

function reasonOf(lines: readonly (TextCells | string)[], summary: readonly string[]): string {
  try {
    parseFiling(new TextEncoder().encode(textSubmission({ lines, summary })));
    return 'parsed';
  } catch (error) {
    if (error instanceof ParseError) return error.message;
    throw error;
  }
}

test.each(['COCA COLA CO', 'TOTAL SA'])(
  'figures below the CUSIP of %s do not belong to the row above',
  (name) => {
    const lines: readonly TextCells[] = [
      APPLE,
      IBM,
      [name, 'COM', '191216100', '', '', ''],
      ['', '', '', '4,384', '100,000'],
    ];
    expect(reasonOf(lines, totals(3, '13,567'))).toMatch(
      /line \d+ has a CUSIP without a value and a share count/,
    );
  },
);

test('a page with figures joined to their amount type is an error, not skipped', () => {
  const glued = ['INTL BUSINESS MACHS', 'COM', '459200101', '7,750', '100,000SH', 'SOLE'] as const;
  expect(reasonOf([APPLE, '<PAGE>', glued], [])).toMatch(
    /line \d+ has a CUSIP on a page without a readable row/,
  );
  expect(reasonOf([APPLE, '<PAGE>', IBM], [])).toBe('parsed');
});
