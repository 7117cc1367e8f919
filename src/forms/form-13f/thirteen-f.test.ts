import { expect, test } from 'vitest';
import { constructedSubmission, filingText, outcomeOf, thirteenFOf } from '../../../test/filings/read.ts';
import type { ThirteenF } from '../../domain/filing/filing.ts';

const total = (filing: ThirteenF): bigint => filing.rows.reduce((sum, { value }) => sum + value, 0n);
const scion = (changes: Partial<Parameters<typeof constructedSubmission>[0]> = {}): string =>
  constructedSubmission({
    form: '13F-HR',
    period: '20250930',
    filed: '20251103',
    documents: [
      ['13F-HR', filingText('xml-only/scion_2025q3_primary_doc.xml')],
      ['INFORMATION TABLE', filingText('xml-only/scion_2025q3_infotable.xml')],
    ],
    ...changes,
  });

test('Berkshire at 2018-09-30: 168 rows of 221,020,177 thousand, Apple on eleven of them', () => {
  const filing = thirteenFOf('13f/0000950123-18-011885.txt');
  expect(filing).toMatchObject({
    cik: '0001067983',
    managerName: 'BERKSHIRE HATHAWAY INC',
    reportType: 'combination',
    quarterEnd: '2018-09-30',
    isAmendment: false,
    amendmentNumber: null,
    amendmentType: null,
    confidentialOmitted: false,
    form13fFileNumber: '028-04545',
    declaredEntryTotal: 168,
    declaredValueTotal: 221_020_177n,
    schemaVersion: null,
  });
  expect(filing.rows).toHaveLength(168);
  expect(total(filing)).toBe(221_020_177n);
  const apple = filing.rows.filter(({ cusip }) => cusip === '037833100');
  expect(apple.map(({ row }) => row)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]);
  expect(apple.reduce((sum, { amount }) => sum + amount, 0n)).toBe(252_478_779n);
  expect(apple[8]).toMatchObject({ value: 42_864_026n, amount: 189_882_279n, otherManagers: '4,11' });
});

test('who reports for the manager and whose holdings are included are two lists (rule 2.12)', () => {
  const filing = thirteenFOf('13f/0000950123-18-011885.txt');
  expect(filing.reportedBy).toEqual([
    { name: 'New England Asset Management Inc', cik: null, form13fFileNumber: '28-5194', sequence: null },
  ]);
  expect(filing.includes).toHaveLength(14);
  expect(filing.includes[3]).toEqual({
    name: 'Buffett Warren E',
    cik: null,
    form13fFileNumber: '28-554',
    sequence: 4,
  });
});

test('Greenlight: calls at 2015-09-30, convertible notes as principal at 2015-12-31', () => {
  const calls = thirteenFOf('13f/0001079114-15-000013.txt').rows.filter(({ putCall }) => putCall === 'CALL');
  expect(calls.map(({ row, amount }) => [row, amount])).toEqual([
    [4, 592_000n],
    [6, 131_000n],
    [8, 277_000n],
    [11, 307_000n],
    [13, 68_000n],
    [15, 141_100n],
  ]);
  const notes = thirteenFOf('13f/0001079114-16-000017.txt').rows.filter(
    ({ amountType }) => amountType === 'PRN',
  );
  expect(notes.map(({ row, cusip, amount }) => [row, cusip, amount])).toEqual([
    [119, '86732YAC3', 13_271_500n],
    [120, '86732YAC3', 2_925_200n],
    [121, '86732YAC3', 6_063_300n],
  ]);
});

test('Kingdon at 2019-12-31: four calls, five puts and one note among 55 rows', () => {
  const { rows } = thirteenFOf('13f/0001000097-20-000004.txt');
  const rowsOf = (keep: (row: (typeof rows)[number]) => boolean): number[] =>
    rows.filter(keep).map(({ row }) => row);
  expect(rows).toHaveLength(55);
  expect(rowsOf(({ putCall }) => putCall === 'CALL')).toEqual([5, 6, 9, 11]);
  expect(rowsOf(({ putCall }) => putCall === 'PUT')).toEqual([30, 34, 46, 50, 51]);
  expect(rowsOf(({ amountType }) => amountType === 'PRN')).toEqual([31]);
  expect(rows[49]).toMatchObject({ issuer: 'SPDR S&P 500 ETF TR', amount: 200_000n, value: 64_372n });
});

test('GMT at 2014-03-31: the n1: prefix, lower-case CUSIPs and a seven-digit one that is flagged', () => {
  const { rows } = thirteenFOf('13f/0001106191-14-000018.txt');
  expect(rows).toHaveLength(86);
  expect(rows[0]).toMatchObject({
    cusipAsFiled: '2171573',
    cusip: '002171573',
    reasons: ['cusip_checksum_failed'],
  });
  expect(rows[1]).toMatchObject({
    cusipAsFiled: '90138a103',
    cusip: '90138A103',
    reasons: [],
    amount: 207_000n,
  });
  expect(rows.filter(({ reasons }) => reasons.length > 0)).toHaveLength(1);
});

test('ACTIAM, Bull Street and LTS One: the ns1: prefix, with values at the scale as filed', () => {
  expect(thirteenFOf('13f/0001619124-21-000002.txt').rows.map(({ cusip, value }) => [cusip, value])).toEqual([
    ['037833100', 230_054n],
    ['02079K107', 66_793n],
    ['02079K305', 58_769n],
    ['594918104', 224_483n],
    ['023135106', 152_059n],
  ]);
  const bullStreet = thirteenFOf('13f/0001790837-23-000002.txt');
  expect(bullStreet).toMatchObject({
    schemaVersion: 'X0202',
    quarterEnd: '2022-12-31',
    declaredValueTotal: 192_767n,
  });
  expect(bullStreet.rows).toHaveLength(90);
  expect(bullStreet.rows[0]).toMatchObject({
    issuer: '3M Company',
    value: 287n,
    amount: 2_397n,
    votingNone: 2_397n,
  });
  const ltsOne = thirteenFOf('13f/0001894188-23-000007.txt');
  expect([ltsOne.rows.length, total(ltsOne)]).toEqual([14, 454_926_000n]);
});

test('a table that declares windows-1252 is read', () => {
  const { rows } = thirteenFOf('13f/0001092838-17-000003.txt');
  expect(rows).toHaveLength(32);
  expect(rows[31]).toMatchObject({ cusip: '302301AB2', amountType: 'PRN', amount: 8_464_000n });
});

test('the dissemination feed gives the same kind of report without a time', () => {
  const filing = thirteenFOf('13f/0001951757-25-000093.nc');
  expect(filing.header.acceptedAt).toBeNull();
  expect([filing.managerName, filing.rows.length, total(filing)]).toEqual([
    'ACORN CREEK CAPITAL LLC',
    77,
    194_611_845n,
  ]);
});

test('a notice names the reporting managers and has no rows (rule 2.11)', () => {
  const filing = thirteenFOf('13f/0001178913-25-000237.txt');
  expect(filing).toMatchObject({
    reportType: 'notice',
    quarterEnd: '2024-12-31',
    rows: [],
    declaredEntryTotal: null,
  });
  expect(filing.reportedBy).toEqual([
    {
      name: 'Migdal Insurance & Financial Holdings Ltd.',
      cik: '0001415912',
      form13fFileNumber: '028-17312',
      sequence: null,
    },
  ]);
});

test('an amendment that adds holdings has that type (rule 2.8)', () => {
  const cover = filingText('xml-only/berkshire_2025q1_new_holdings_amendment_primary_doc.xml');
  const text = scion({
    form: '13F-HR/A',
    period: '20250331',
    documents: [
      ['13F-HR/A', cover],
      ['INFORMATION TABLE', filingText('xml-only/scion_2025q3_infotable.xml')],
    ],
  });
  expect(thirteenFOf(text)).toMatchObject({
    isAmendment: true,
    amendmentNumber: 1,
    amendmentType: 'new_holdings',
  });
  expect(thirteenFOf(text.replace('NEW HOLDINGS', 'RESTATEMENT'))).toMatchObject({
    amendmentType: 'restatement',
  });
  expect(thirteenFOf(text.replace('NEW HOLDINGS', ' '))).toMatchObject({ amendmentType: null });
});

test('the table is found by its root element, for any document type', () => {
  expect(thirteenFOf(scion().replace('<TYPE>INFORMATION TABLE', '<TYPE>EX-99')).rows).toHaveLength(8);
});

test('an XML report has no text confidence', () => {
  expect(scion().includes('<XML>')).toBe(true);
  expect(thirteenFOf(scion()).textConfidence).toBeNull();
});

test('a report without a table, or with a web page instead, is an error, not an empty portfolio', () => {
  const cover = ['13F-HR', filingText('xml-only/scion_2025q3_primary_doc.xml')] as const;
  expect(outcomeOf(scion({ documents: [cover] }))).toBe('information_table_missing');
  expect(outcomeOf(scion({ documents: [cover, ['INFORMATION TABLE', '<html><body/></html>']] }))).toBe(
    'wrong_root',
  );
  expect(outcomeOf(scion({ documents: [['13F-HR', '<html><body/></html>']] }))).toBe('cover_missing');
});

test('a period that is not a quarter end, differs from the header or is in the future is an error', () => {
  expect(
    outcomeOf(scion().replace('<reportCalendarOrQuarter>09-30-2025', '<reportCalendarOrQuarter>09-29-2025')),
  ).toBe('period_invalid');
  expect(outcomeOf(scion({ period: '20250630' }))).toBe('period_invalid');
  expect(outcomeOf(scion({ filed: '20250929' }))).toBe('period_invalid');
});

test('a report type that contradicts the form is an error', () => {
  expect(outcomeOf(scion({ form: '13F-NT' }))).toBe('schema_invalid');
});
