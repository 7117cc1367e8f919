import { expect, test } from 'vitest';
import { filingText, outcomeOf, thirteenFOf } from '../../../../test/filings/read.ts';
import type { ThirteenF } from '../../../domain/filing/filing.ts';
import { foldReport } from '../../../domain/report/fold.ts';

const sumOf = ({ rows }: ThirteenF): bigint => rows.reduce((sum, { value }) => sum + value, 0n);
const short = ({ rows }: ThirteenF, from: number, to: number) =>
  rows.slice(from - 1, to).map((row) => [row.issuer, row.cusip, row.value, row.amount]);

/** Rows, sum and confidence as printed in the filings, counted and added up by hand. */
test.each([
  ['0000950150-03-000203', 64, 27_850_405n, 'high'],
  ['0000941302-00-000168', 32, 273_248n, 'high'],
  ['0001315863-07-000133', 43, 2_473_712n, 'high'],
  ['0000929638-09-000263', 135, 2_011_496n, 'high'],
  ['0000911084-10-000001', 51, 28_107n, 'high'],
  ['0000891092-10-000570', 38, 330_369n, 'high'],
  ['0000002230-10-000031', 77, 996_944n, 'high'],
  ['0001092838-12-000004', 51, 701_378n, 'high'],
  ['0001061768-08-000104', 1, 63_760n, 'high'],
  ['0000950150-03-000957', 61, 29_869_248n, 'low'],
  ['0000941302-01-500218', 39, 480_881n, 'low'],
])('the text table of %s gives %d rows worth %d', (accession, rows, sum, confidence) => {
  const filing = thirteenFOf(`13f/${accession}.txt`);
  expect([filing.rows.length, sumOf(filing), filing.textConfidence]).toEqual([rows, sum, confidence]);
});

test('rows below a CUSIP are of the same security, and names and managers may take several lines', () => {
  const filing = thirteenFOf('13f/0000950150-03-000203.txt');
  expect(short(filing, 1, 6)).toEqual([
    ['American Express Co.', '025816109', 608_917n, 17_225_400n],
    ['American Express Co.', '025816109', 282_610n, 7_994_634n],
    ['American Express Co.', '025816109', 4_251_045n, 120_255_879n],
    ['American Express Co.', '025816109', 68_689n, 1_943_100n],
    ['American Express Co.', '025816109', 148_176n, 4_191_687n],
    ['American Standard Companies', '029712106', 229_924n, 3_232_000n],
  ]);
  expect(filing.rows[3]).toMatchObject({
    cusipAsFiled: '025816 10 9',
    discretion: 'DFND',
    otherManagers: '5, 4, 13, 15, 16, 17',
    votingSole: 1_943_100n,
  });
  const post = filing.rows.filter(({ cusip }) => cusip === '939640108');
  expect(post.map(({ votingSole, votingNone }) => [votingSole, votingNone])).toEqual([
    [0n, 894_304n],
    [0n, 148_311n],
    [0n, 648_165n],
    [0n, 36_985n],
  ]);
});

test('the cover gives type, quarter, totals, omission and both lists of managers', () => {
  const filing = thirteenFOf('13f/0000950150-03-000203.txt');
  expect(filing).toMatchObject({
    reportType: 'combination',
    quarterEnd: '2002-12-31',
    confidentialOmitted: true,
    declaredEntryTotal: 64,
    declaredValueTotal: 27_850_405n,
    form13fFileNumber: '28-4545',
    schemaVersion: null,
    reportedBy: [
      {
        name: 'General Re - New England Asset Management, Inc.',
        cik: null,
        form13fFileNumber: '28-5194',
        sequence: null,
      },
    ],
  });
  expect(filing.includes).toHaveLength(17);
  expect(filing.includes[1]).toEqual({
    name: 'BH Columbia Inc.',
    cik: null,
    form13fFileNumber: null,
    sequence: 2,
  });
  expect(filing.includes[4]).toMatchObject({ name: 'Buffett, Warren E.', form13fFileNumber: '28-554' });
});

test('a ticked box on an amendment gives its type', () => {
  expect(thirteenFOf('13f/0001061768-08-000104.txt')).toMatchObject({
    isAmendment: true,
    amendmentNumber: 1,
    amendmentType: 'new_holdings',
    quarterEnd: '2007-09-30',
  });
  expect(thirteenFOf('13f/0001092838-12-000004.txt')).toMatchObject({
    isAmendment: false,
    amendmentType: null,
  });
});

test('reads a table without a ruler, with options, bonds and a second manager', () => {
  const filing = thirteenFOf('13f/0001315863-07-000133.txt');
  const marked = filing.rows.filter(({ putCall, amountType }) => putCall !== null || amountType === 'PRN');
  expect(
    marked.map((row) => [row.row, row.cusip, row.putCall, row.amountType, row.amount, row.otherManagers]),
  ).toEqual([
    [25, '588056AG6', null, 'PRN', 15_500_000n, ''],
    [30, '594918904', 'CALL', 'SH', 1_209_400n, ''],
    [31, '594918904', 'CALL', 'SH', 85_600n, '1'],
  ]);
});

test('a class joined to its CUSIP is split where the column of CUSIPs begins', () => {
  const { rows } = thirteenFOf('13f/0000929638-09-000263.txt');
  const bond = rows.find(({ cusipAsFiled }) => cusipAsFiled === '07556QAL9');
  expect(bond).toMatchObject({
    titleOfClass: 'NOTE 4.625% 6/1',
    value: 1_995n,
    amount: 4_534_400n,
    amountType: 'PRN',
  });
});

test('a name joined to its class, and left-aligned numbers, are read by the columns', () => {
  const { rows } = thirteenFOf('13f/0000002230-10-000031.txt');
  expect(rows.find(({ cusip }) => cusip === '18683K101')).toMatchObject({
    issuer: 'CLIFFS NATURAL RESOURCES',
    titleOfClass: 'COM',
    value: 1_217n,
    amount: 26_400n,
    votingSole: 26_400n,
  });
});

test('an empty table that is declared empty is an empty portfolio', () => {
  expect(thirteenFOf('13f/0000897423-10-000031.txt')).toMatchObject({
    rows: [],
    confidentialOmitted: true,
    declaredEntryTotal: 0,
  });
});

test('a row at another price than its security makes the row and the filing unsure', () => {
  const filing = thirteenFOf('13f/0000950150-03-000957.txt');
  const unsure = filing.rows.filter(({ reasons }) => reasons.includes('text_value_unsure'));
  // 20,000 less than the 148,311 shares at the price of the other three rows: a filer's error.
  expect(unsure.map(({ issuer, value, amount }) => [issuer, value, amount])).toEqual([
    ['Washington Post Co.', 635_435n, 894_304n],
  ]);
});

test('figures that tabs move out of their columns are unsure, and their votes are not read', () => {
  const { rows } = thirteenFOf('13f/0000941302-01-500218.txt');
  const unsure = rows.filter(({ reasons }) => reasons.includes('text_value_unsure'));
  expect(unsure.map(({ issuer }) => issuer)).toEqual([
    'ENDO PHARMACEUTICALS HLDGS INC',
    'ETRADE GROUP INC',
    'IOMEGA CORP',
  ]);
  expect(rows[4]).toMatchObject({ issuer: 'CNA FINL CORP', votingSole: 0n, votingShared: 0n });
});

test.each([
  ['0000872162-10-000002', 'a row over two lines'],
  ['0000905770-10-000003', 'no cover and no share counts'],
])('%s is an error: %s', (accession) => {
  expect(outcomeOf(`13f/${accession}.txt`)).toBe('text_information_table');
});

test('a CUSIP of ten characters is kept as filed and never guessed', () => {
  const text = filingText('13f/0000950150-03-000203.txt').replace('260003 10 8 ', '2600030 10 8');
  const row = thirteenFOf(text).rows[18];
  expect(row).toMatchObject({ cusipAsFiled: '2600030 10 8', cusip: null, reasons: ['cusip_malformed'] });
});

test('zeros that a spreadsheet dropped are restored when the check digit proves them (rule 2.15)', () => {
  const text = filingText('13f/0000002230-10-000031.txt');
  const dropped = text.replace('037833100', '37833100 ').replace('002824100', '2824100  ');
  expect(thirteenFOf(dropped).rows[1]).toMatchObject({ cusip: '037833100', cusipAsFiled: '37833100' });
  const truncated = dropped.replace('166764100', '16676410 ');
  const rows = thirteenFOf(truncated).rows.filter(({ reasons }) => reasons.includes('cusip_malformed'));
  expect(rows.map(({ cusip, cusipAsFiled }) => [cusip, cusipAsFiled])).toEqual([
    [null, '2824100'],
    [null, '37833100'],
    [null, '16676410'],
  ]);
});

test('the repeated cover of an included manager is not that of the report (rule 2.14)', () => {
  const text = filingText('13f/0000950150-03-000203.txt');
  const start = text.indexOf('<PAGE>');
  const again = text
    .slice(start, text.indexOf('Form 13F SUMMARY PAGE'))
    .replace('[ X ]  13F COMBINATION', '[   ]  13F COMBINATION')
    .replace('[   ]  13F NOTICE', '[ X ]  13F NOTICE');
  const table = text.indexOf('Form 13F Information Table\n');
  const repeated = `${text.slice(0, table)}${again}${text.slice(table)}`;
  expect(thirteenFOf(repeated)).toMatchObject({ reportType: 'combination', declaredEntryTotal: 64 });
});

test('a text notice has no table', () => {
  const text = filingText('13f/0000950150-03-000203.txt')
    .replace(/13F-HR\b/g, '13F-NT')
    .replace('[ X ]  13F COMBINATION', '[   ]  13F COMBINATION')
    .replace('[   ]  13F NOTICE', '[ X ]  13F NOTICE');
  expect(thirteenFOf(text)).toMatchObject({ reportType: 'notice', rows: [], textConfidence: null });
});

test('every text report is marked, and one that does not add up makes all its rows uncertain', () => {
  const reasonsOf = (accession: string) => foldReport([thirteenFOf(`13f/${accession}.txt`)])?.reasons;
  expect(reasonsOf('0000891092-10-000570')).toEqual(['cusip_checksum_failed', 'text_table']);
  expect(reasonsOf('0000950150-03-000957')).toEqual([
    'text_table',
    'text_value_unsure',
    'value_total_mismatch',
  ]);
});
