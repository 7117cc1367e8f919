import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { HEADS, insiderTables } from '../../../test/bulk/insider-data-set.ts';
import { textOf } from '../../../test/bulk/tables.ts';
import { outcomeOf } from '../../../test/filings/read.ts';
import type { Ownership, OwnershipRow } from '../../domain/filing/filing.ts';
import { groupBy } from '../../domain/group.ts';
import { plainDecimal } from '../../domain/insider/identity.ts';
import { ParseError } from '../parse-error.ts';
import { form4DataSet } from './data-set.ts';

const FOLDER = new URL('../../../test/filings/form-4/', import.meta.url);

const FORMS = readdirSync(FOLDER).flatMap((name): (readonly [string, Ownership])[] => {
  const filing = outcomeOf(`form-4/${name}`);
  return typeof filing === 'string' || filing.kind !== 'ownership' ? [] : [[name, filing]];
});

type Tables = Record<string, string[]>;

/** The lines of a form's tables as the SEC would publish them, with some fields replaced. */
function tablesOf(filing: Ownership): Tables {
  const lines = Object.entries(insiderTables([filing])).map(([table, own]) => {
    const [, ...text] = textOf(HEADS[table] ?? [], own).split('\n');
    return [table, text] as const;
  });
  return Object.fromEntries(lines);
}

function readFrom(filing: Ownership, tables: Tables = tablesOf(filing)): Ownership {
  const read = form4DataSet.read({ accession: filing.header.accession, lines: tables }, HEADS);
  if (read.kind !== 'ownership') throw new Error(`a ${read.kind}`);
  return read;
}

/** The SEC's tables have two decimals. */
const rounded = (amount: string | null): string | null =>
  amount === null ? null : plainDecimal((Math.round(Number(amount) * 100) / 100).toFixed(2));

function publishedRow(row: OwnershipRow): OwnershipRow {
  const byNumber = (a: string, b: string): number => Number(a.slice(1)) - Number(b.slice(1));
  return {
    ...row,
    shares: rounded(row.shares),
    pricePerShare: rounded(row.pricePerShare),
    sharesOwnedAfter: rounded(row.sharesOwnedAfter),
    underlyingShares: rounded(row.underlyingShares),
    conversionOrExercisePrice: rounded(row.conversionOrExercisePrice),
    footnoteIds: Object.fromEntries(
      Object.entries(row.footnoteIds).map(([element, ids]) => [element, ids.toSorted(byNumber)]),
    ),
  };
}

/** Of each table the transactions, then the holdings. */
function publishedRows(rows: readonly OwnershipRow[]): OwnershipRow[] {
  const tables = [...groupBy(rows, ({ table }) => table).values()];
  return tables.flatMap((own) => {
    const kinds = groupBy(own, ({ rowKind }) => rowKind);
    const inOrder = [...(kinds.get('transaction') ?? []), ...(kinds.get('holding') ?? [])];
    return inOrder.map((row, at) => ({ ...publishedRow(row), row: at + 1 }));
  });
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

test('there are real forms to read', () => {
  expect(FORMS.length).toBeGreaterThan(5);
});

describe.each(FORMS)('%s', (_name, filing) => {
  test('says the same in a data set but for the time, the schema, third decimals and mixed rows (rule 6.1)', () => {
    const { cik, name } = filing.issuer;
    expect(readFrom(filing)).toEqual({
      ...filing,
      header: {
        ...filing.header,
        acceptedAt: null,
        periodOfReport: filing.periodOfReport,
        filers: [{ role: 'issuer', cik, name, fileNumber: null }],
      },
      schemaVersion: null,
      rows: publishedRows(filing.rows),
      footnotes: filing.footnotes.map(({ id, text }) => ({ id, text: oneLine(text) })),
      remarks: oneLine(filing.remarks),
    });
  });
});

describe('the tables', () => {
  const [, form] = FORMS.find(([, { footnotes }]) => footnotes.length > 0) ?? [];
  if (form === undefined) throw new Error('no form has a footnote');
  const changed = (table: string, column: string, value: string): Tables => {
    const tables = tablesOf(form);
    const at = (HEADS[table] ?? []).indexOf(column);
    const lines = (tables[table] ?? []).map((line) => line.split('\t').with(at, value).join('\t'));
    return { ...tables, [table]: lines };
  };

  test('are quoted where a text has a quote', () => {
    const read = readFrom(form, changed('FOOTNOTES', 'FOOTNOTE_TXT', '"the ""Plan"" of 2018"'));
    expect(read.footnotes[0]?.text).toBe('the "Plan" of 2018');
  });

  test('say nothing of a plan where they have no such column, as before 2023', () => {
    const columns = {
      ...HEADS,
      SUBMISSION: (HEADS['SUBMISSION'] ?? []).filter((name) => name !== 'AFF10B5ONE'),
    };
    const tables = { ...tablesOf(form) };
    tables['SUBMISSION'] = (tables['SUBMISSION'] ?? []).map((line) =>
      line.split('\t').slice(0, -1).join('\t'),
    );
    const read = form4DataSet.read({ accession: form.header.accession, lines: tables }, columns);
    expect(read).toMatchObject({ is10b51: null });
  });

  test.each([
    ['TRANS_CODE', '', { code: null }, 'transactionCode is missing'],
    ['TRANS_SHARES', '12,50', { shares: null }, 'TRANS_SHARES reads "12,50"'],
    ['TRANS_DATE', '2018-11-30', { transactionDate: null }, 'TRANS_DATE reads "2018-11-30"'],
  ])('with the %s %j in a row leave this row unusable (rule 6.1)', (column, value, read, what) => {
    const isChanged = ({ table, rowKind }: OwnershipRow) =>
      table === 'non_derivative' && rowKind === 'transaction';
    const { rows } = readFrom(form, tablesOf(form));
    expect(rows.some(isChanged)).toBe(true);
    expect(readFrom(form, changed('NONDERIV_TRANS', column, value)).rows).toEqual(
      rows.map((row) => (isChanged(row) ? { ...row, ...read, unreadable: [what] } : row)),
    );
  });

  test.each([
    ['SUBMISSION', 'ISSUERCIK', 'none', 'header_invalid'],
    ['REPORTINGOWNER', 'RPTOWNERCIK', '', 'schema_invalid'],
  ])('%s with the %s %j are refused: a guess could be a trade', (table, column, value, code) => {
    const outcome = (): unknown => readFrom(form, changed(table, column, value));
    expect(outcome).toThrow(ParseError);
    expect(outcome).toThrow(expect.objectContaining({ code }));
  });
});
