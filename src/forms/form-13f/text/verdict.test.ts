import { expect, test } from 'vitest';
import { outcomeOf, thirteenFOf } from '../../../../test/filings/read.ts';
import { type TextCells, textSubmission, totals } from '../../../../test/filings/text-table.ts';
import type { ThirteenF, ThirteenFContent } from '../../../domain/filing/filing.ts';
import { foldReport } from '../../../domain/report/fold.ts';
import { filingAsReported } from '../../../domain/report/scale.ts';
import { thirteenF } from '../thirteen-f.ts';

const VALUE_FIRST: readonly TextCells[] = [
  ['APPLE INC', 'COM', '037833100', '1,433', '100,000'],
  ['INTL BUSINESS MACHS', 'COM', '459200101', '7,750', '100,000'],
  ['COCA COLA CO', 'COM', '191216100', '4,384', '100,000'],
];
const SHARES_FIRST = VALUE_FIRST.map(
  ([issuer, title, cusip, value, shares]): TextCells => [issuer, title, cusip, shares, value],
);
const total = (first: string, second: string) => ['', ['GRAND TOTAL', '', '', first, second, '']] as const;
const swapped = {
  heading: ['SHARES', 'VALUE'] as const,
  lines: [...SHARES_FIRST, ...total('300,000', '13,567')],
};

test('the value that the cover declares wins over a total in the table (rule 2.14)', () => {
  expect(outcomeOf(textSubmission({ ...swapped, summary: totals(3, '13,567') }))).toBe(
    'text_information_table',
  );
  const near = { lines: [...VALUE_FIRST, ...total('13,567', '300,000')], summary: totals(3, '13,667') };
  expect(thirteenFOf(textSubmission(near)).textConfidence).toBe('low');
});

test('a total in the table does not prove the column; its heading must (rule 2.14)', () => {
  const [entries = ''] = totals(3, '');
  expect(outcomeOf(textSubmission({ ...swapped, summary: [entries] }))).toBe('text_information_table');
  const right = { lines: [...VALUE_FIRST, ...total('13,567', '300,000')], summary: [entries] };
  const filing = thirteenFOf(textSubmission(right));
  expect(filing.rows.map(({ value, amount }) => [value, amount])).toEqual([
    [1_433n, 100_000n],
    [7_750n, 100_000n],
    [4_384n, 100_000n],
  ]);
  expect(filing.textConfidence).toBe('high');
});

test('a table without any total is read with low confidence, under its heading (rule 2.14)', () => {
  const [entries = ''] = totals(3, '');
  const filing = thirteenFOf(textSubmission({ lines: VALUE_FIRST, summary: [entries] }));
  expect([filing.rows.length, filing.textConfidence]).toEqual([3, 'low']);
});

test('an extra row is in doubt unless the sum is exactly that of the cover', () => {
  const rows: readonly TextCells[] = [...VALUE_FIRST, ['COCA COLA CO', 'COM', '191216100', '1', '23']];
  const confidenceOf = (entries: number, value: string) =>
    thirteenFOf(textSubmission({ lines: rows, summary: totals(entries, value) })).textConfidence;
  expect(confidenceOf(3, '13,568')).toBe('medium');
  expect(confidenceOf(3, '13,567')).toBe('low');
  expect(confidenceOf(4, '13,567')).toBe('high');
});

test('a table is an error when more than half of its CUSIPs are impossible, not at half', () => {
  const wrong = (row: TextCells) => row.with(2, row[2].replace(/.$/, '9')) as unknown as TextCells;
  const [apple, ibm, coke] = VALUE_FIRST as [TextCells, TextCells, TextCells];
  const more: TextCells = ['COCA COLA CO', 'COM', '191216100', '4,384', '100,000'];
  const outcome = (...lines: TextCells[]) =>
    outcomeOf(textSubmission({ lines, summary: totals(4, '17,951') }));
  expect(outcome(wrong(apple), wrong(ibm), coke, more)).toMatchObject({ textConfidence: 'high' });
  expect(outcome(wrong(apple), wrong(ibm), wrong(coke), more)).toBe('text_information_table');
});

test('a total without a name below a ruler of the table is a total, not a row of the security above', () => {
  const ruler = `${'-'.repeat(20)}  ----------------  ---------  ----------  ----------`;
  for (const rule of [[ruler], [ruler, ruler.replaceAll('-', '=')], [ruler, '   '], ['', ruler, '']]) {
    const lines = [...VALUE_FIRST, ...rule, ['', '', '', '13,567', '300,000', ''] as const];
    const filing = thirteenFOf(textSubmission({ lines }));
    expect([filing.rows.length, filing.textConfidence]).toEqual([3, 'medium']);
  }
});

test('rows below a ruler with its own heading belong to the security above', () => {
  const ruler = '--------------------  ----------------  ---------  ----------  ----------';
  const lines = [...VALUE_FIRST, 'NAME OF ISSUER  CLASS  CUSIP  VALUE  SHARES', ruler];
  const row: TextCells = ['', '', '', '438', '10,000'];
  const { rows } = thirteenFOf(textSubmission({ lines: [...lines, row], summary: totals(4, '14,005') }));
  expect(rows.map(({ cusip }) => cusip).slice(2)).toEqual(['191216100', '191216100']);
});

test.each([
  ['VALUE', 'SHARES', 'low'],
  ['PRICE', 'SHARES', 'text_information_table'],
  ['MARKET', 'SHARES', 'text_information_table'],
  ['MKT PRICE', 'VALUE', 'text_information_table'],
])('a table without totals under %s and %s is %s', (first, second, outcome) => {
  const read = outcomeOf(textSubmission({ lines: VALUE_FIRST, heading: [first, second] }));
  expect(typeof read === 'string' ? read : (read as ThirteenF).textConfidence).toBe(outcome);
});

test('a price next to value and shares may be the first of two numbers', () => {
  const heading = ['VALUE', 'SHARES PRICE'] as const;
  expect(outcomeOf(textSubmission({ lines: VALUE_FIRST, heading }))).toBe('text_information_table');
});

test('a total that is the same in the other scale proves the table, any other multiple does not (rule 2.14)', () => {
  // Rounded as in Appaloosa's reports: the cover gives thousands as dollars, two off.
  const confidenceOf = (value: string) =>
    thirteenFOf(textSubmission({ lines: VALUE_FIRST, summary: totals(3, value) })).textConfidence;
  expect(confidenceOf('13,567,000')).toBe('high');
  expect(confidenceOf('13,565,000')).toBe('high');
  expect(confidenceOf('14')).toBe('high');
  for (const value of ['13,564,000', '13,567,000,000', '1,356,700', '135']) {
    const submission = textSubmission({ lines: VALUE_FIRST, summary: totals(3, value) });
    expect(outcomeOf(submission), value).toBe('text_information_table');
  }
});

/** Rows in dollars as in Coatue's report for 2001-12-31. */
const IN_DOLLARS: readonly TextCells[] = [
  ['STORAGENETWORKS INC', 'COM', '86211E103', '979,530', '158,500'],
  ['MICROSOFT CORP', 'COM', '594918104', '6,625,000', '100,000'],
  ['INTL BUSINESS MACHS', 'COM', '459200101', '12,096,000', '100,000'],
];

test.each([
  ['19,700,530', ['text_table', 'value_unit_dollars_before_2023', 'value_unit_unverified']],
  ['19,701', ['text_table', 'value_unit_dollars_before_2023']],
])(
  'a table in dollars is never a thousand times too high, with a total of %s (rule 2.2)',
  (value, reasons) => {
    const filing = thirteenFOf(textSubmission({ lines: IN_DOLLARS, summary: totals(3, value) }));
    const report = foldReport([filing]);
    expect(report?.positions.map(({ valueCents }) => valueCents)).toContain(97_953_000n);
    expect(report?.reasons).toEqual(reasons);
    const { content } = thirteenF.stored(filing);
    const alone = filingAsReported(
      { ...(content as ThirteenFContent), filedDate: filing.header.filedDate },
      null,
    );
    expect(alone.valueCents).toBe(1_970_053_000n);
    // The prices of other filers go before.
    const scaleCents = 100_000n;
    const scales = new Map([[filing.header.accession, { scaleCents, reasons: [] }]]);
    expect(foldReport([filing], { scales })?.newest.scaleCents).toBe(scaleCents);
  },
);

test('a table in thousands stays so, whatever its cover gives and however dear a single share is (rule 2.2)', () => {
  const dear: TextCells = ['BERKSHIRE HATHAWAY INC', 'CL A', '084670108', '10,000', '100'];
  for (const value of ['23,567', '23,567,000']) {
    const filing = thirteenFOf(textSubmission({ lines: [...VALUE_FIRST, dear], summary: totals(4, value) }));
    expect(foldReport([filing])).toMatchObject({ reasons: ['text_table'], newest: { scaleCents: 100_000n } });
  }
});
