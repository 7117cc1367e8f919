import { expect, test } from 'vitest';
import { filingText } from '../../../test/filings/read.ts';
import { MAX_ROWS, ParseError } from '../parse-error.ts';
import { readInfoTable } from './info-table.ts';

const row = (changes: Record<string, string> = {}): string => {
  const f = {
    cusip: '037833100',
    value: '10',
    amount: '5',
    amountType: 'SH',
    putCall: '',
    sole: '5',
    ...changes,
  };
  return `<infoTable><nameOfIssuer>APPLE INC</nameOfIssuer><titleOfClass>COM</titleOfClass><cusip>${f.cusip}</cusip>
  <value>${f.value}</value><shrsOrPrnAmt><sshPrnamt>${f.amount}</sshPrnamt><sshPrnamtType>${f.amountType}</sshPrnamtType></shrsOrPrnAmt>
  ${f.putCall}<investmentDiscretion>SOLE</investmentDiscretion>
  <votingAuthority><Sole>${f.sole}</Sole><Shared>0</Shared><None>0</None></votingAuthority></infoTable>`;
};
const table = (...rows: string[]): string =>
  `<informationTable xmlns="u">${rows.join('\n')}</informationTable>`;
const read = (changes: Record<string, string>) => readInfoTable(table(row(changes)))[0];
const codeOf = (xml: string): string => {
  try {
    return `${readInfoTable(xml).length} rows`;
  } catch (error) {
    if (error instanceof ParseError) return error.code;
    throw error;
  }
};

test('options keep the side and the underlying of the Scion report of 2025-09-30', () => {
  const rows = readInfoTable(filingText('xml-only/scion_2025q3_infotable.xml'));
  expect(rows).toHaveLength(8);
  expect(rows.reduce((sum, { value }) => sum + value, 0n)).toBe(1_381_198_076n);
  expect(
    rows.filter(({ putCall }) => putCall !== null).map((r) => [r.row, r.issuer, r.putCall, r.amount]),
  ).toEqual([
    [2, 'HALLIBURTON CO', 'CALL', 2_500_000n],
    [5, 'NVIDIA CORPORATION', 'PUT', 1_000_000n],
    [6, 'PALANTIR TECHNOLOGIES INC', 'PUT', 5_000_000n],
    [7, 'PFIZER INC', 'CALL', 6_000_000n],
  ]);
  expect(rows[0]).toEqual({
    row: 1,
    issuer: 'BRUKER CORP',
    titleOfClass: '6.375 PREF SER A',
    cusipAsFiled: '116794207',
    cusip: '116794207',
    value: 13_137_181n,
    amount: 48_334n,
    amountType: 'SH',
    putCall: null,
    discretion: 'DFND',
    otherManagers: '1,2',
    votingSole: 48_334n,
    votingShared: 0n,
    votingNone: 0n,
    reasons: [],
  });
});

test('default, ns1: and xsi-first namespaces give identical rows', () => {
  const plain = filingText('xml-only/scion_2025q3_infotable.xml').replace(
    /<informationTable[^>]*>/,
    '<informationTable xmlns="u">',
  );
  const ns1 = plain
    .replace(/<(\/?)(\w)/g, '<$1ns1:$2')
    .replace('xmlns="u"', 'xmlns:ns1="u"')
    .replace('<?ns1:xml', '<?xml');
  const xsiFirst = ns1.replace('xmlns:ns1="u"', 'xmlns:xsi="x" xsi:schemaLocation="u a.xsd" xmlns:ns1="u"');
  expect(ns1).toContain('<ns1:infoTable>');
  expect(readInfoTable(ns1)).toEqual(readInfoTable(plain));
  expect(readInfoTable(xsiFirst)).toEqual(readInfoTable(plain));
});

test.each([
  ['037833100', '037833100', []],
  ['90138a103', '90138A103', []],
  [' 037833 100\n', '037833100', []],
  ['2824100', '002824100', []],
  ['037833900', '037833900', ['cusip_checksum_failed']],
  ['', null, ['cusip_malformed']],
  ['03783310O0', null, ['cusip_malformed']],
  ['03783-100', null, ['cusip_malformed']],
  ['000000000', null, ['cusip_malformed']],
  ['74144E108', '74144E108', ['cusip_checksum_failed']],
])('the CUSIP %j is read as %s, with reasons %j and kept as filed', (filed, cusip, reasons) => {
  expect(read({ cusip: filed })).toMatchObject({ cusipAsFiled: filed, cusip, reasons });
});

test.each([
  ['1,000', 1000n, []],
  ['10.0', 10n, []],
  ['2.5', 2n, ['amount_fractional']],
  ['-7', -7n, ['amount_negative']],
  ['-7.5', -8n, ['amount_fractional', 'amount_negative']],
  [`1${'0'.repeat(29)}`, 10n ** 29n, []],
])('the share count %j is %s, with reasons %j', (filed, amount, reasons) => {
  expect(read({ amount: filed })).toMatchObject({ amount, reasons });
});

test.each(['', 'NaN', '1e9', 'n/a'])(
  'an unreadable number %j is an error of the filing, not a lost row',
  (text) => {
    expect(codeOf(table(row(), row({ value: text })))).toBe('schema_invalid');
    expect(codeOf(table(row(), row({ amount: text })))).toBe('schema_invalid');
  },
);

test('put and call are read in any case, and anything else is an error (rule 2.5)', () => {
  const side = (text: string): string => `<putCall>${text}</putCall>`;
  expect(read({ putCall: side('Put') })?.putCall).toBe('PUT');
  expect(read({ putCall: side('CALL') })?.putCall).toBe('CALL');
  expect(read({ putCall: side(' ') })?.putCall).toBeNull();
  expect(codeOf(table(row({ putCall: side('Warrant') })))).toBe('schema_invalid');
});

test('shares and principal are distinguished, and a missing amount type is an error (rule 2.5)', () => {
  expect(read({ amountType: 'prn' })?.amountType).toBe('PRN');
  expect(codeOf(table(row({ amountType: '' })))).toBe('schema_invalid');
});

test('blank votes are 0', () => {
  expect(read({ sole: '' })?.votingSole).toBe(0n);
});

test('rows keep their place in the table as filed', () => {
  expect(readInfoTable(table(row(), row(), row())).map((r) => r.row)).toEqual([1, 2, 3]);
});

test('a single placeholder row is a row, but a table without rows is missing (rule 2.6)', () => {
  const placeholder = table(row({ cusip: '000000000', value: '0', amount: '0' }));
  expect(readInfoTable(placeholder)).toMatchObject([{ row: 1, cusip: null, value: 0n, amount: 0n }]);
  expect(codeOf(table())).toBe('information_table_missing');
});

test('a row under another element name is an error, not a lost row', () => {
  expect(codeOf(table(row(), row().replaceAll('infoTable>', 'InfoTable>')))).toBe('schema_invalid');
  expect(codeOf(table(row().replace('<value>', '<cusip>594918104</cusip><value>')))).toBe('schema_invalid');
});

test('another root element and a bare ampersand are errors', () => {
  expect(codeOf('<html><body/></html>')).toBe('wrong_root');
  expect(codeOf(filingText('xml-only/informationTable.xml'))).toBe('malformed_xml');
});

test('the number of rows is capped', () => {
  const tiny =
    '<infoTable><cusip>0</cusip><value>1</value><sshPrnamt>1</sshPrnamt><sshPrnamtType>SH</sshPrnamtType></infoTable>';
  expect(codeOf(table(tiny.repeat(MAX_ROWS + 1)))).toBe('too_many_rows');
});

test('rows that repeat a CUSIP have its reasons each, and those of their own amounts (rule 1.6)', () => {
  const [typo, apple] = ['037833101', '037833100'];
  const rows = readInfoTable(
    table(
      row({ cusip: typo }),
      row({ cusip: typo, amount: '-5' }),
      row({ cusip: apple, value: '1.5' }),
      row({ cusip: ` ${typo.toLowerCase()} ` }),
      row({ cusip: apple }),
    ),
  );
  expect(rows.map(({ cusip, cusipAsFiled, reasons }) => [cusip, cusipAsFiled, reasons])).toEqual([
    [typo, typo, ['cusip_checksum_failed']],
    [typo, typo, ['cusip_checksum_failed', 'amount_negative']],
    [apple, apple, ['amount_fractional']],
    [typo, ` ${typo} `, ['cusip_checksum_failed']],
    [apple, apple, []],
  ]);
});
