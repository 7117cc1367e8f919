import { expect, it, test } from 'vitest';
import { optionOfTitle, sideOfRow } from './option-title.ts';

test.each([
  ['CALL', 'CALL'],
  ['Put', 'PUT'],
  ['PUTS', 'PUT'],
  ['CALL OPTION', 'CALL'],
  ['OPTION CALL', 'CALL'],
  ['OPTIONS - PUTS', 'PUT'],
  ['COM CL A CALL', 'CALL'],
  ['CALL  01/20/23', 'CALL'],
  ['CALL 20JAN23 150.00', 'CALL'],
  ['(CALL)', 'CALL'],
  ['OPTION', 'UNKNOWN'],
  ['PUT/CALL', 'UNKNOWN'],
  ['COM', null],
  ['CALLON', null],
  ['CALLABLE PFD', null],
  ['NOTE PUT 2030', null],
  ['PFD CALL 2012', null],
  ['PUTTABLE NT', null],
  ['COVERED CALL ETF', null],
  ['CALL NRGU 45', null],
  ['OPTIMUM YIELD', null],
  ['CALL WTS', null],
])('a class titled %s is read as %s (rule 2.5)', (title, side) => {
  expect(optionOfTitle(title)).toBe(side);
});

it('the mark of a row wins over its title, and principal has no side by title (rule 2.5)', () => {
  expect(sideOfRow({ putCall: 'PUT', amountType: 'SH', titleOfClass: 'CALL' })).toBe('PUT');
  expect(sideOfRow({ putCall: null, amountType: 'PRN', titleOfClass: 'CALL' })).toBeNull();
});
