import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filingText, outcomeOf, thirteenFOf } from '../../../../test/filings/read.ts';
import { runs } from '../../../../test/runs.ts';
import { ParseError, parseFiling } from '../../index.ts';

const LAYOUTS = [
  '13f/0000950150-03-000203.txt',
  '13f/0001315863-07-000133.txt',
  '13f/0000891092-10-000570.txt',
  '13f/0000911084-10-000001.txt',
  '13f/0000941302-00-000168.txt',
] as const;
const ROW = /\s[\d,]+\s+[\d,]+\s+(?:SH|PRN|X)\s/;

const figures = (text: string) =>
  thirteenFOf(text).rows.map(({ cusip, value, amount }) => [cusip, value, amount]);
const reasonOf = (text: string): string => {
  try {
    parseFiling(new TextEncoder().encode(text));
    return 'parsed';
  } catch (error) {
    if (error instanceof ParseError) return error.message;
    throw error;
  }
};
const rowsOf = (lines: readonly string[]) => lines.flatMap((line, at) => (ROW.test(line) ? [at] : []));
const someRow = (lines: readonly string[]) => {
  const rows = rowsOf(lines);
  return fc.nat(rows.length - 1).map((index) => rows[index] as number);
};

test.each(LAYOUTS)('an indented table reads the same: %s', (name) => {
  const text = filingText(name);
  const start = text.search(/^.*information table *$/im);
  const head = text.slice(0, start);
  for (const by of [1, 7]) {
    const moved = text.slice(start).replace(/^(?=[^<\n])/gm, ' '.repeat(by));
    expect(figures(head + moved)).toEqual(figures(text));
  }
});

test.each(LAYOUTS)('one row moved by a blank gives the same numbers: %s', { tags: ['property'] }, (name) => {
  const lines = filingText(name).split('\n');
  const before = figures(lines.join('\n'));
  fc.assert(
    fc.property(someRow(lines), (at) => {
      const moved = lines.map((line, index) => (index === at ? ` ${line}` : line));
      expect(figures(moved.join('\n'))).toEqual(before);
    }),
    { numRuns: runs(20) },
  );
});

test.each(LAYOUTS)(
  'a page break with blank lines between any two rows changes nothing: %s',
  { tags: ['property'] },
  (name) => {
    const text = filingText(name);
    const lines = text.split('\n');
    const ruler =
      lines.find((line) => /^\s*<S>\s+<C>/.test(line)) ?? lines.find((line) => /^-? ?-{9}.*---/.test(line));
    const before = figures(text);
    fc.assert(
      fc.property(someRow(lines), (at) => {
        const cut = [
          ...lines.slice(0, at),
          '</TABLE>',
          '<PAGE>',
          '',
          '<TABLE>',
          ruler ?? '',
          ...lines.slice(at),
        ];
        expect(figures(cut.join('\n'))).toEqual(before);
      }),
      { numRuns: runs(20) },
    );
  },
);

test.each(LAYOUTS)('numbers without their commas are the same numbers: %s', (name) => {
  const text = filingText(name);
  const bare = text.replace(/ (\d{1,3}(?:,\d{3})+)(?=\s)/g, (_, number: string) => {
    const digits = number.replaceAll(',', '');
    return ` ${digits.padStart(number.length)}`;
  });
  expect(figures(bare)).toEqual(figures(text));
});

test('a damaged row between two others is never skipped', () => {
  const text = filingText('13f/0000002230-10-000031.txt');
  const line = text.split('\n').find((one) => one.includes('CINTAS')) ?? '';
  expect(reasonOf(text.replace(`${line}\n`, ''))).toMatch(/76 rows, 77 declared/);
  const smeared = line.replace('7,815     300,000', '7,815 3OO,000     ');
  expect(reasonOf(text.replace(line, smeared))).toMatch(/line \d+ is neither a row nor a total: "CINTAS/);
});

test('figures below their own name never go to the security above', () => {
  const text = filingText('13f/0000950150-03-000203.txt');
  const orphan = text.replace(
    'Dover Corp.          Com    260003 10 8 ',
    'Dover Corp.          Com                ',
  );
  expect(reasonOf(orphan)).toMatch(/line \d+ names a security without a CUSIP/);
  const split = text.replace('Dover Corp.          Com    260003 10 8 ', `Dover Corp.\n${' '.repeat(40)}`);
  expect(reasonOf(split)).toMatch(/line \d+ has no CUSIP of its own/);
});

test('values far from their declared total are an error', () => {
  const text = filingText('13f/0001315863-07-000133.txt');
  expect(reasonOf(text.replace('$2,473,712', '$4,473,712'))).toMatch(/add up to 2473712, 4473712 declared/);
  expect(thirteenFOf(text.replace('$2,473,712', '$2,473,612')).textConfidence).toBe('low');
  expect(thirteenFOf(text.replace('$2,473,712', ' ')).textConfidence).toBe('low');
  expect(thirteenFOf(text.replace(/Entry Total: +43/, 'Entry Total:')).textConfidence).toBe('medium');
});

test('shares before values are never read as values, with or without a total', () => {
  const text = filingText('13f/0001315863-07-000133.txt');
  const swapped = text
    .replace('VALUE  SHARES/', 'SHARES/  VALUE')
    .replace(
      / ([\d,]{1,7}) +([\d,]{5,8}) (?=SH|PRN)/g,
      (_, value: string, shares: string) => ` ${shares} ${value} `,
    );
  expect(reasonOf(swapped)).toMatch(/values add up to \d+, 2473712 declared/);
  expect(reasonOf(swapped.replace('$2,473,712', ' '))).toMatch(
    /line \d+ has no heading that puts values before/,
  );
});

test('a total in the table proves the sum as the summary page does', () => {
  const text = filingText('13f/0000002230-10-000031.txt');
  expect(thirteenFOf(text.replace('$996,944', ' ')).textConfidence).toBe('high');
});

test('a share count and the mark after it are never a CUSIP', () => {
  const text = filingText('13f/0000950150-03-000203.txt');
  const row = '40,141,600         X            5, 2, 6, 13 ';
  expect(text).toContain(row);
  const alike = text.replace(row, '  40141600         X            5 2 6 13    ');
  expect(figures(alike)).toEqual(figures(text));
});

test('a line of totals with two numbers is not a row', () => {
  const text = filingText('13f/0001315863-07-000133.txt');
  const totals = `TOTAL${' '.repeat(54)}2473712 99999999`;
  const last = text.lastIndexOf('</TABLE>');
  const below = (line: string) => `${text.slice(0, last)}${line}\n${text.slice(last)}`;
  expect(figures(below(totals))).toEqual(figures(text));
  expect(figures(below(`${' '.repeat(58)}--------\n${totals.replace('TOTAL', '     ')}`))).toEqual(
    figures(text),
  );
});

test('the error names the line', () => {
  expect(reasonOf(filingText('13f/0000872162-10-000002.txt'))).toMatch(
    /line \d+ does not have a CUSIP of nine characters, a value and a share count side by side: "/,
  );
});

test('any bytes put into a text report parse or throw a ParseError', { tags: ['property'] }, () => {
  const original = filingText('13f/0001315863-07-000133.txt');
  const start = original.indexOf('<TEXT>') + 6;
  const end = original.indexOf('</TEXT>');
  const piece = fc.oneof(
    fc.string({ maxLength: 40, unit: 'binary-ascii' }),
    fc.constantFrom(
      '<S>',
      '<C>',
      '<PAGE>',
      '\n',
      '\t',
      '$',
      ' 037833100 1 2 ',
      '-',
      '99,999',
      '-------- ----',
    ),
  );
  fc.assert(
    fc.property(fc.nat(end - start), fc.nat(200), fc.array(piece, { maxLength: 6 }), (at, gone, put) => {
      const body = original.slice(start, end);
      const changed = body.slice(0, at) + put.join('').replaceAll('\0', '') + body.slice(at + gone);
      const outcome = outcomeOf(original.slice(0, start) + changed + original.slice(end));
      expect(['string', 'object']).toContain(typeof outcome);
    }),
    { numRuns: runs(200) },
  );
});

/** Over ten million characters that could make a loop slow; the parser's own time limit is 30 s. */
test.each([
  ['digits', '9 '.repeat(490)],
  ['parts of CUSIPs', '037833 10 0 '.repeat(80)],
  ['boxes', '[ '.repeat(490)],
  ['tabs', '\t'.repeat(900)],
  ['managers below a row', `${' '.repeat(110)}17`],
  ['one line', '9'.repeat(10_000_000)],
])('ten megabytes of %s are read in time', { tags: ['long'], timeout: 60_000 }, (_, line) => {
  const text = filingText('13f/0000941302-00-000168.txt');
  const at = text.indexOf('AGRIBRANDS');
  const filler = `${line}\n`.repeat(Math.ceil(10_000_000 / line.length));
  const started = performance.now();
  reasonOf(text.slice(0, at) + filler + text.slice(at));
  expect(performance.now() - started).toBeLessThan(30_000);
});
