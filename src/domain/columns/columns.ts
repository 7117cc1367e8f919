import type { Cik, Cusip } from '../ids.ts';
import type { Names } from './names.ts';

/** A row of a report, with the answers of rules that it needs no other row for as bits of `flags`. */
export type ColumnRow = {
  readonly cusip: Cusip;
  readonly issuer: string;
  readonly amount: bigint;
  readonly valueCents: bigint;
  /** Place of its filing in the report. */
  readonly filing: number;
  readonly flags: number;
};

/** The largest place of a filing that a column holds. */
export const MAX_FILING = 2 ** 16 - 1;

/**
 * The rows of a quarter. Shares and cents are the nearest numbers: exact below 2^53, and the others are
 * found by {@link QuarterColumns.exactOf}. 31 bytes a row.
 */
export type Columns = {
  readonly manager: Int32Array;
  readonly security: Int32Array;
  readonly issuer: Int32Array;
  readonly amount: Float64Array;
  readonly valueCents: Float64Array;
  readonly filing: Uint16Array;
  readonly flags: Uint8Array;
};

export type Exact = Pick<ColumnRow, 'amount' | 'valueCents'>;

/** The rows `[from, to)` of one report, and the exact numbers of those that have no exact columns. */
type Range = { readonly from: number; readonly to: number; readonly wide: ReadonlyMap<number, Exact> };

const NOTHING: Range = { from: 0, to: 0, wide: new Map() };
const NO_ROWS = new Int32Array(0);

/** Part of the room that is left for replaced reports: every growth copies all rows that stand. */
const SPARE = 1 / 8;

export type QuarterColumns = ReturnType<typeof quarterColumns>;

/**
 * The rows of all reports of a quarter in columns. A report is put as a whole and replaces what its
 * manager had. Nothing is summed over reports, so there is nothing that could become wrong.
 */
export function quarterColumns(names: Names) {
  const ranges = new Map<number, Range>();
  let columns = columnsOf(0);
  let [end, standing] = [0, 0];
  let index: SecurityIndex | null = null;
  const drop = (cik: Cik): void => {
    const manager = names.managers.numberOf(cik);
    const { from, to } = ranges.get(manager) ?? NOTHING;
    standing -= to - from;
    if (ranges.delete(manager)) index = null;
  };
  const makeRoom = (rows: number): void => {
    if (end + rows <= columns.flags.length) return;
    const wider = columnsOf(Math.ceil((standing + rows) * (1 + SPARE)));
    end = moveInto(wider, columns, ranges);
    columns = wider;
    index = null;
  };
  return {
    /** Makes room for rows that will be put. */
    reserve: makeRoom,
    put(cik: Cik, rows: readonly ColumnRow[]): void {
      drop(cik);
      makeRoom(rows.length);
      const manager = names.managers.numberOf(cik);
      const wide = new Map<number, Exact>();
      ranges.set(manager, { from: end, to: end + rows.length, wide });
      for (const [at, row] of rows.entries()) {
        columns.manager[end] = manager;
        columns.security[end] = names.securities.numberOf(row.cusip);
        columns.issuer[end] = names.issuers.numberOf(row.issuer);
        columns.amount[end] = Number(row.amount);
        columns.valueCents[end] = Number(row.valueCents);
        columns.filing[end] = row.filing;
        columns.flags[end] = row.flags;
        if (isWide(columns, end)) wide.set(at, { amount: row.amount, valueCents: row.valueCents });
        end += 1;
      }
      standing += rows.length;
      index = null;
    },
    drop,
    /** Valid until the next report is put. Rows of no range are those of replaced reports. */
    columns: (): Columns => columns,
    rows: (): number => standing,
    rangeOf: (manager: number): Range => ranges.get(manager) ?? NOTHING,
    exactOf(row: number): Exact {
      const { from, wide } = ranges.get(columns.manager[row] as number) ?? NOTHING;
      const known = wide.get(row - from);
      if (known !== undefined) return known;
      return {
        amount: BigInt(columns.amount[row] as number),
        valueCents: BigInt(columns.valueCents[row] as number),
      };
    },
    /** The rows of one security, in no order. */
    rowsOf(security: number): Int32Array {
      index ??= indexOf(columns, ranges, names.securities.size());
      const { starts, rows } = index;
      if (security + 1 >= starts.length) return NO_ROWS;
      return rows.subarray(starts[security] as number, starts[security + 1] as number);
    },
  };
}

function columnsOf(rows: number): Columns {
  return {
    manager: new Int32Array(rows),
    security: new Int32Array(rows),
    issuer: new Int32Array(rows),
    amount: new Float64Array(rows),
    valueCents: new Float64Array(rows),
    filing: new Uint16Array(rows),
    flags: new Uint8Array(rows),
  };
}

function isWide({ amount, valueCents }: Columns, row: number): boolean {
  return !Number.isSafeInteger(amount[row]) || !Number.isSafeInteger(valueCents[row]);
}

/** Copies the rows of the ranges, which stand for other rows afterwards, and returns the end of the last. */
function moveInto(wider: Columns, from: Columns, ranges: Map<number, Range>): number {
  let end = 0;
  for (const [manager, range] of ranges) {
    for (const name of Object.keys(wider) as (keyof Columns)[]) {
      wider[name].set(from[name].subarray(range.from, range.to), end);
    }
    ranges.set(manager, { ...range, from: end, to: end + range.to - range.from });
    end += range.to - range.from;
  }
  return end;
}

/** The rows by security: those of number n are `rows[starts[n]]` up to `rows[starts[n + 1]]`. */
type SecurityIndex = { readonly starts: Int32Array; readonly rows: Int32Array };

function indexOf(
  { security }: Columns,
  ranges: ReadonlyMap<number, Range>,
  securities: number,
): SecurityIndex {
  const starts = new Int32Array(securities + 1);
  for (const { from, to } of ranges.values()) {
    for (let row = from; row < to; row += 1) (starts[(security[row] as number) + 1] as number) += 1;
  }
  for (let at = 1; at <= securities; at += 1) (starts[at] as number) += starts[at - 1] as number;
  const next = starts.slice();
  const rows = new Int32Array(starts[securities] as number);
  for (const { from, to } of ranges.values()) {
    for (let row = from; row < to; row += 1) {
      const place = next[security[row] as number] as number;
      rows[place] = row;
      next[security[row] as number] = place + 1;
    }
  }
  return { starts, rows };
}
