import { expect, it } from 'vitest';
import { runs } from '../../../test/runs.ts';
import { readInfoTable, streamRows } from './info-table.ts';

/** As many rows as the largest report on record, of BlackRock, has. */
const ROWS = runs(50_158);

const entry = (row: number): string => `<infoTable><nameOfIssuer>ISSUER ${row}</nameOfIssuer>
<titleOfClass>COM</titleOfClass><cusip>${String(row).padStart(9, '0')}</cusip><value>${row}</value>
<shrsOrPrnAmt><sshPrnamt>${row * 3}</sshPrnamt><sshPrnamtType>SH</sshPrnamtType></shrsOrPrnAmt>
<investmentDiscretion>SOLE</investmentDiscretion>
<votingAuthority><Sole>${row}</Sole><Shared>0</Shared><None>0</None></votingAuthority></infoTable>`;

const table = `<informationTable xmlns="http://www.sec.gov/edgar/document/thirteenf/informationtable">
${Array.from({ length: ROWS }, (_, index) => entry(index + 1)).join('\n')}
</informationTable>`;

it('both readers read every row of the largest report in order (rule 1.8)', { tags: ['property'] }, () => {
  const rows = readInfoTable(table);
  expect(rows).toHaveLength(ROWS);
  expect(rows.every(({ row, value, amount }) => value === BigInt(row) && amount === BigInt(row * 3))).toBe(
    true,
  );
  const streamed = streamRows(table);
  expect(streamed).toHaveLength(ROWS);
  for (const at of [0, ROWS >> 1, ROWS - 1]) expect(streamed[at]).toEqual(rows[at]);
});

it('a truncated report is an error, never a shorter report (rule 1.8)', { tags: ['property'] }, () => {
  expect(() => readInfoTable(table.slice(0, -2_000))).toThrow(/malformed_xml/);
});
