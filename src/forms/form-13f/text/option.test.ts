import { expect, test } from 'vitest';
import { outcomeOf, thirteenFOf } from '../../../../test/filings/read.ts';
import { type TextCells, textSubmission, totals } from '../../../../test/filings/text-table.ts';

const IBM: TextCells = ['INTL BUSINESS MACHS', 'COM', '459200101', '7,750', '100,000'];

/** The side of each row, with a question mark where the row is unsure. */
function sidesOf(lines: readonly (TextCells | string)[]): readonly string[] {
  const { rows } = thirteenFOf(textSubmission({ lines, summary: totals(2, '9,183') }));
  return rows.map(({ putCall, reasons }) => {
    return `${putCall ?? 'SHARES'}${reasons.includes('text_value_unsure') ? '?' : ''}`;
  });
}
const apple = (issuer: string, title: string, rest = 'SH SOLE', cusip = '037833100') =>
  sidesOf([IBM, [issuer, title, cusip, '1,433', '100,000', rest]])[1];

test.each([
  ['PUT', 'PUT'],
  ['CALLS', 'CALL'],
  ['COM PUT', 'PUT'],
  ['CALL OPTION', 'CALL'],
  ['OPTION - PUTS', 'PUT'],
  ['COM PUT/CALL', 'SHARES?'],
  ['PFD CALL 2012', 'SHARES?'],
  ['PUTOPT', 'PUT'],
  ['CALL OPTS', 'CALL'],
  ['OPTION', 'SHARES?'],
  ['OPTIONS', 'SHARES?'],
  ['OPT', 'SHARES?'],
  ['EQUITY OPTION', 'SHARES?'],
  ['COM OPTN', 'SHARES?'],
  ['LEAPS', 'SHARES?'],
])('a class of %s is read as %s, never as plain shares (rule 2.15)', (title, side) => {
  expect(apple('APPLE INC', title)).toBe(side);
});

test('a bond with a call is not an option, and unsure (rule 2.15)', () => {
  expect(apple('APPLE INC', 'CALL', 'PRN SOLE')).toBe('SHARES?');
  expect(apple('INTEL CORP', 'CALL', 'SH SOLE', '458140AD2')).toBe('SHARES?');
});

test.each([
  ['APPLE INC PUT', 'PUT'],
  ['APPLE INC CALL OPTIONS', 'CALL'],
  ['APPLE (PUT)', 'PUT'],
  ['DOCTORS ON CALL', 'SHARES?'],
  ['CALL CORP', 'SHARES?'],
  ['PUT APPLE COMPUTER INC', 'SHARES?'],
  ['CALL/APPLE COMPUTER', 'SHARES?'],
  ['APPLE PUT JAN 45', 'SHARES?'],
  ['LISTED PUT APPLE', 'SHARES?'],
  ['APPLE PUT&CALL', 'SHARES?'],
  ['APPLE COMPUTER OPTION', 'SHARES?'],
  ['APPLE (OPTIONS)', 'SHARES?'],
  ['OPTION CARE INC', 'SHARES'],
  ['CALLON PETE CO', 'SHARES'],
  ['CALLAWAY GOLF CO', 'SHARES'],
  ['PUTNAM TR', 'SHARES'],
])('an issuer of %s is read as %s (rule 2.15)', (issuer, side) => {
  expect(apple(issuer, 'COM')).toBe(side);
});

test.each([
  ['SH CALL SOLE', 'CALL'],
  ['PUT SH SOLE', 'PUT'],
  ['SH SOLE PUT', 'PUT'],
  ['SH (CALL) SOLE', 'CALL'],
  ['SH/PUT SOLE', 'PUT'],
  ['SH P SOLE', 'SHARES?'],
  ['SH SOLE 1 PUT', 'SHARES?'],
  ['SH OPTION SOLE', 'SHARES?'],
  ['OPTIONS', 'SHARES?'],
  ['SH PUT/CALL SOLE', 'SHARES?'],
  ['SH PUT SOLE CALL', 'PUT?'],
])('a row that ends in %s is read as %s (rule 2.15)', (rest, side) => {
  expect(apple('APPLE INC', 'COM', rest)).toBe(side);
});

test('class and column that name two sides are unsure (rule 2.15)', () => {
  expect(apple('APPLE INC', 'CALL', 'SH PUT SOLE')).toBe('PUT?');
});

test.each([
  'PUT OPTIONS',
  '                    CALL OPTIONS:',
  'PUTS',
  'Listed options',
  'PUTS & CALLS',
  'Options Held',
  'SUMMARY OF OPTIONS',
  'EXCHANGE TRADED OPTIONS',
  'CALL OPTIONS ON COMMON STOCK OF THE ISSUERS BELOW',
  'PUT OPTIONS EXPIRING 2010',
  'LISTED OPTNS',
  'LEAPS',
  'WARRANTS AND OPTS',
  'P U T S',
  `${' '.repeat(60)}PUT OPTIONS`,
  `${' '.repeat(54)}C A L L S`,
  `${' '.repeat(60)}*** PUTS HELD ***`,
  `${' '.repeat(90)}PUT OPTIONS (continued)`,
])('rows below a line of %s are unsure unless they have a side (rule 2.15)', (section) => {
  const row: TextCells = ['APPLE INC', 'COM', '037833100', '1,433', '100,000'];
  expect(sidesOf([IBM, section, row])).toEqual(['SHARES?', 'SHARES?']);
  expect(sidesOf([section, row, IBM])).toEqual(['SHARES?', 'SHARES?']);
  const option: TextCells = ['APPLE INC', 'COM', '037833100', '1,433', '100,000', 'SH PUT SOLE'];
  expect(sidesOf([section, option, IBM])).toEqual(['PUT', 'SHARES?']);
  const page = ['<PAGE>', section, '-'.repeat(20).replaceAll('--', '- ')];
  expect(sidesOf([IBM, ...page, row])).toEqual(['SHARES', 'SHARES?']);
});

test('the heading of the column Put/Call is not a line of options, nor is a total (rule 2.15)', () => {
  const row: TextCells = ['APPLE INC', 'COM', '037833100', '1,433', '100,000'];
  const heading = `NAME OF ISSUER${' '.repeat(60)}PRN  PUT/CALL`;
  expect(sidesOf([IBM, heading, row])).toEqual(['SHARES', 'SHARES']);
  for (const words of ['PUT/', 'CALL', 'PRN CALL DISCRETION', 'PUT OPTION MANAGERS']) {
    expect(sidesOf([`${' '.repeat(80)}${words}`, IBM, row])).toEqual(['SHARES', 'SHARES']);
  }
  expect(sidesOf([`${' '.repeat(60)}PRN CALL DISCRETION`, IBM, row])).toEqual(['SHARES', 'SHARES']);
});

test('a row of an option without numbers is not skipped as a line of options', () => {
  const broken = 'APPLE CALL                COM                 037833100';
  expect(outcomeOf(textSubmission({ lines: [IBM, broken, IBM] }))).toBe('text_information_table');
});
