import type { Cik, Cusip } from '../ids.ts';
import { changeLog } from './changes.ts';
import type { Names } from './names.ts';
import { type SecurityIndex, securityIndex } from './security-index.ts';

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
  const changes = changeLog();
  const rangeOf = (manager: number): Range => ranges.get(manager) ?? NOTHING;
  const exactOf = (row: number): Exact => {
    const { from, wide } = rangeOf(columns.manager[row] as number);
    const known = wide.get(row - from);
    if (known !== undefined) return known;
    return {
      amount: BigInt(columns.amount[row] as number),
      valueCents: BigInt(columns.valueCents[row] as number),
    };
  };
  const contentOf = (row: number): string => {
    const { amount, valueCents } = exactOf(row);
    return `${amount} ${valueCents} ${columns.issuer[row]} ${columns.filing[row]} ${columns.flags[row]}`;
  };
  const drop = (cik: Cik): void => {
    const manager = names.managers.numberOf(cik);
    const { from, to } = rangeOf(manager);
    changes.noteReport(manager);
    for (let row = from; row < to; row += 1) {
      changes.noteGone(manager, columns.security[row] as number, () => contentOf(row));
      index?.noteGone(columns.security[row] as number, row);
    }
    standing -= to - from;
    ranges.delete(manager);
    if (index?.isWorn()) index = null;
  };
  const noteCome = (manager: number, row: number): void => {
    const security = columns.security[row] as number;
    changes.noteCome(manager, security, () => contentOf(row));
    index?.noteCome(security, row);
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
        noteCome(manager, end);
        end += 1;
      }
      changes.settle(manager);
      standing += rows.length;
    },
    drop,
    /** Valid until the next report is put. Rows of no range are those of replaced reports. */
    columns: (): Columns => columns,
    rows: (): number => standing,
    rangeOf,
    /** For {@link changesSince}. */
    now: changes.now,
    changesSince: changes.since,
    exactOf,
    /** The rows of one security, in no order. */
    rowsOf(security: number): Int32Array {
      index ??= securityIndex(columns.security, [...ranges.values()], names.securities.size());
      return index.rowsOf(security);
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
