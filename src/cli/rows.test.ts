import { expect, test } from 'vitest';
import { columnLines, forTerminal, tabLines } from './rows.ts';

const ROWS = [
  { id: 'VSMmQ1SB', organization: 'demo', revoked: null },
  { id: '4wroJp4C', organization: 'Example Corp', revoked: '2018-11-30' },
];

test('a terminal gets names and aligned columns, and no null', () => {
  expect(columnLines(ROWS)).toEqual([
    'id        organization  revoked',
    'VSMmQ1SB  demo          –',
    '4wroJp4C  Example Corp  2018-11-30',
  ]);
  expect(columnLines([])).toEqual([]);
});

test('a program gets the values alone, with tabs between them', () => {
  expect(tabLines(ROWS)).toEqual(['VSMmQ1SB\tdemo\tnull', '4wroJp4C\tExample Corp\t2018-11-30']);
});

test('control and direction characters of names do not reach a terminal; tabs stay', () => {
  const rows = [{ name: 'A\u001b]0;x\u0007B\u009b2J\u202eC\tD' }];
  expect(columnLines(rows)[1]).toBe('A]0;xB2JC\tD');
  expect(tabLines(rows)).toEqual(['A]0;xB2JC\tD']);
  expect(forTerminal('ALARM a\u001b[2J\u2066b\nline\ttwo')).toBe('ALARM a[2Jb\nline\ttwo');
});
