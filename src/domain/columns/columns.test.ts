import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Cik, Cusip } from '../ids.ts';
import { type QuarterColumns, quarterColumns } from './columns.ts';
import { type ColumnRow, emptyNames, type Names } from './room.ts';

const EDGE = 2n ** 32n;
const amount = fc.oneof(
  fc.bigInt({ min: -5n, max: 2n ** 54n }),
  fc.bigInt({ min: 0n, max: 10n ** 30n }),
  fc.bigInt({ min: EDGE - 3n, max: EDGE + 1n }),
);
const cents = fc.oneof(
  amount,
  amount.map((dollars) => dollars * 100n),
);
const row: fc.Arbitrary<ColumnRow> = fc.record({
  cusip: fc.constantFrom('A', 'B', 'C', 'D') as fc.Arbitrary<Cusip>,
  issuer: fc.constantFrom('ONE', 'ANOTHER'),
  amount,
  valueCents: cents,
  filing: fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.integer({ min: 254, max: 257 }),
    fc.integer({ min: 65_534, max: 65_537 }),
  ),
  flags: fc.integer({ min: 0, max: 255 }),
});
/** A report of a manager that replaces the one before; null withdraws it. */
const step = fc.tuple(
  fc.constantFrom('1', '2', '3') as fc.Arbitrary<Cik>,
  fc.option(fc.uniqueArray(row, { selector: ({ cusip }) => cusip })),
);

/** Every row with its names, as it was put. */
function rowsIn({ columns, rowsOf, exactOf, amountOf, centsOf }: QuarterColumns, names: Names) {
  const { manager, issuer, filing, flags } = columns();
  return Array.from({ length: names.securities.size() }, (_, security) =>
    [...rowsOf(security)].map((at) => ({
      nearest: [amountOf(at), centsOf(at)],
      cik: names.managers.textOf(manager[at] as number),
      cusip: names.securities.textOf(security),
      issuer: names.issuers.textOf(issuer[at] as number),
      ...exactOf(at),
      filing: filing[at],
      flags: flags[at],
    })),
  ).flat();
}

type PutRow = ColumnRow & { readonly cik: Cik };
const withNearest = (one: PutRow) => ({ ...one, nearest: [Number(one.amount), Number(one.valueCents)] });
const inOrder = (all: readonly Pick<PutRow, 'cik' | 'cusip'>[]) =>
  all.toSorted((a, b) => (`${a.cik}${a.cusip}` < `${b.cik}${b.cusip}` ? -1 : 1));

it('the columns hold exactly the reports that stand, and name what differs, after each step', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 30 }), (steps) => {
      const names = emptyNames();
      const columns = quarterColumns(names);
      const standing = new Map<Cik, readonly ColumnRow[]>();
      const rows = (): PutRow[] => [...standing].flatMap(([cik, own]) => own.map((one) => ({ cik, ...one })));
      const textOf = (one: PutRow) => Object.values(one).join('|');
      const textsOf = (all: readonly PutRow[]) => new Set(all.map(textOf));
      let [moment, before] = [columns.now(), rows()];
      for (const [[cik, put], isSeen] of steps) {
        if (put === null) columns.drop(cik);
        else columns.put(cik, put);
        if (put === null) standing.delete(cik);
        else standing.set(cik, put);
        if (!isSeen) continue;
        expect(columns.rows()).toBe(rows().length);
        expect(inOrder(rowsIn(columns, names))).toEqual(inOrder(rows().map(withNearest)));
        const [was, is] = [textsOf(before), textsOf(rows())];
        const differing = [
          ...before.filter((one) => !is.has(textOf(one))),
          ...rows().filter((one) => !was.has(textOf(one))),
        ].map(({ cusip }) => names.securities.numberOf(cusip));
        expect(columns.changesSince(moment)?.securities).toEqual(expect.arrayContaining(differing));
        [moment, before] = [columns.now(), rows()];
      }
    }),
  );
});

it('names beyond 65,536 are found as they were put, before and after room was made', () => {
  const names = emptyNames();
  const columns = quarterColumns(names);
  const row = (cusip: string, issuer: string): ColumnRow => ({
    ...{ cusip: cusip as Cusip, issuer, amount: 7n, valueCents: 700n, filing: 0, flags: 1 },
  });
  columns.put('first' as Cik, [row('A', 'ONE'), row('B', 'ANOTHER')]);
  for (let more = 0; more < 2 ** 16; more += 1) {
    names.managers.numberOf(`M${more}` as Cik);
    names.securities.numberOf(`S${more}` as Cusip);
    names.issuers.numberOf(`I${more}`);
  }
  columns.put('last' as Cik, [row('B', 'ONE'), row('C', 'LATE')]);
  const put = ['first A ONE', 'first B ANOTHER', 'last B ONE', 'last C LATE'];
  const found = () =>
    rowsIn(columns, names)
      .map(({ cik, cusip, issuer }) => `${cik} ${cusip} ${issuer}`)
      .sort();
  expect(found()).toEqual(put);
  columns.reserve(1_000);
  expect(found()).toEqual(put);
});

it('a report that comes back as it was, and rows of it that did not differ, are no change', () => {
  const columns = quarterColumns(emptyNames());
  const row = (cusip: string, amount: bigint): ColumnRow => ({
    ...{ cusip: cusip as Cusip, issuer: 'ONE', amount, valueCents: 1n, filing: 0, flags: 0 },
  });
  const [manager, report] = ['1' as Cik, [row('A', 1n), row('B', 2n ** 60n), row('C', 3n)]];
  columns.put(manager, report);
  const before = columns.now();
  expect(columns.changesSince(before)).toEqual({ managers: [], securities: [] });
  columns.drop(manager);
  columns.put(manager, report.toReversed());
  expect(columns.changesSince(before)).toEqual({ managers: [0], securities: [] });
  columns.put(manager, [row('A', 1n), row('B', 2n ** 60n + 1n)]);
  expect(columns.changesSince(before)?.securities).toEqual([1, 2]);
  expect(quarterColumns(emptyNames()).changesSince(before)).toBeNull();
});

it('replacing one report over and over takes no more room than a sixteenth above what stands', () => {
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
  expect(columns.columns().flags.length).toBeLessThanOrEqual(Math.ceil(4_000 * (1 + 1 / 16)));
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

it('replaced reports make room for others in the same columns', () => {
  const names = emptyNames();
  const columns = quarterColumns(names);
  columns.reserve(81);
  const room = columns.columns();
  const ciks = Array.from({ length: 9 }, (_, at) => `${at}` as Cik);
  const put = (cik: Cik, shares: bigint): void => {
    const row = { issuer: 'ONE', amount: shares, valueCents: 2n ** 60n, filing: 0, flags: 0 };
    columns.put(
      cik,
      ciks.map((cusip) => ({ ...row, cusip: `${cusip}` as Cusip })),
    );
  };
  for (const cik of ciks) put(cik, 1n);
  for (const [at, cik] of [...ciks, ...ciks.toReversed(), ...ciks].entries()) put(cik, BigInt(at));
  expect(columns.columns()).toBe(room);
  const shares = rowsIn(columns, names).map(({ cik, amount, valueCents }) => [cik, amount, valueCents]);
  expect(shares.toSorted()).toEqual(
    ciks.flatMap((cik, at) => ciks.map(() => [cik, BigInt(at + 18), 2n ** 60n])).toSorted(),
  );
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
