import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Cik, Cusip } from '../ids.ts';
import { type ColumnRow, quarterColumns } from './columns.ts';
import { emptyNames } from './names.ts';

const amount = fc.oneof(fc.bigInt({ min: -5n, max: 2n ** 54n }), fc.bigInt({ min: 0n, max: 10n ** 30n }));
const row: fc.Arbitrary<ColumnRow> = fc.record({
  cusip: fc.constantFrom('A', 'B', 'C', 'D') as fc.Arbitrary<Cusip>,
  issuer: fc.constantFrom('ONE', 'ANOTHER'),
  amount,
  valueCents: amount,
  filing: fc.integer({ min: 0, max: 3 }),
  flags: fc.integer({ min: 0, max: 255 }),
});
/** A report of a manager that replaces the one before; null withdraws it. */
const step = fc.tuple(
  fc.constantFrom('1', '2', '3') as fc.Arbitrary<Cik>,
  fc.option(fc.uniqueArray(row, { selector: ({ cusip }) => cusip })),
);

it('the columns hold exactly the reports that stand, whatever was put, replaced and withdrawn before', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const names = emptyNames();
      const columns = quarterColumns(names);
      const standing = new Map<Cik, readonly ColumnRow[]>();
      for (const [cik, rows] of steps) {
        if (rows === null) columns.drop(cik);
        else columns.put(cik, rows);
        if (rows === null) standing.delete(cik);
        else standing.set(cik, rows);
      }
      const expected = [...standing].flatMap(([cik, rows]) => rows.map((one) => ({ cik, ...one })));
      expect(columns.rows()).toBe(expected.length);
      const { manager, issuer, filing, flags } = columns.columns();
      const found = Array.from({ length: names.securities.size() }, (_, security) =>
        [...columns.rowsOf(security)].map((at) => ({
          cik: names.managers.textOf(manager[at] as number),
          cusip: names.securities.textOf(security),
          issuer: names.issuers.textOf(issuer[at] as number),
          ...columns.exactOf(at),
          filing: filing[at],
          flags: flags[at],
        })),
      ).flat();
      const inOrder = (all: readonly { cik: Cik; cusip: Cusip }[]) =>
        all.toSorted((a, b) => (a.cik + a.cusip < b.cik + b.cusip ? -1 : 1));
      expect(inOrder(found)).toEqual(inOrder(expected));
    }),
  );
});

it('replacing one report over and over takes no more room than an eighth above what stands', () => {
  const names = emptyNames();
  const columns = quarterColumns(names);
  const report = (cik: string, amounts: number) =>
    columns.put(
      cik as Cik,
      Array.from({ length: amounts }, (_, at) => ({
        cusip: `C${at}` as Cusip,
        issuer: 'X',
        amount: 1n,
        valueCents: 1n,
        filing: 0,
        flags: 0,
      })),
    );
  for (const cik of ['1', '2', '3', '4']) report(cik, 1_000);
  for (let again = 0; again < 50; again += 1) report('2', 1_000);
  expect(columns.rows()).toBe(4_000);
  expect(columns.columns().flags.length).toBeLessThanOrEqual(4_000 * 1.25);
});

it('columns that fill the room reserved for them are never copied', () => {
  const columns = quarterColumns(emptyNames());
  columns.reserve(40);
  const reserved = columns.columns();
  for (const cik of ['1', '2', '3', '4'] as Cik[]) {
    const rows = Array.from({ length: 10 }, (_, at) => ({
      ...{ cusip: String(at) as Cusip, issuer: 'ONE', amount: 1n, valueCents: 1n, filing: 0, flags: 0 },
    }));
    columns.put(cik, rows);
  }
  expect(columns.rows()).toBe(40);
  expect(columns.columns()).toBe(reserved);
});

it('the rows of a security are found although room was made for reports that did not come', () => {
  const names = emptyNames();
  const columns = quarterColumns(names);
  const put = (cik: string, cusips: readonly string[]) =>
    columns.put(
      cik as Cik,
      cusips.map((cusip) => ({
        ...{ cusip: cusip as Cusip, issuer: 'ONE', amount: BigInt(cik), valueCents: 1n, filing: 0, flags: 0 },
      })),
    );
  columns.reserve(8);
  for (const cik of ['1', '2', '3']) put(cik, ['A', 'B']);
  // The rows of the first report stand behind the others now.
  put('1', ['B', 'A']);
  const amountsOf = (cusip: string) =>
    [...columns.rowsOf(names.securities.numberOf(cusip as Cusip))]
      .map((row) => columns.exactOf(row).amount)
      .sort();
  expect(amountsOf('A')).toEqual([1n, 2n, 3n]);
  columns.reserve(1_000);
  expect(['A', 'B'].map(amountsOf)).toEqual([
    [1n, 2n, 3n],
    [1n, 2n, 3n],
  ]);
  expect(columns.rows()).toBe(6);
});
