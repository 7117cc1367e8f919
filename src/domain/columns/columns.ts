import type { Cik } from '../ids.ts';
import { changeLog } from './changes.ts';
import { type ColumnRow, type Names, roomForRows } from './room.ts';

export type QuarterColumns = ReturnType<typeof quarterColumns>;

/**
 * The rows of all reports of a quarter in columns. A report is put as a whole and replaces what its
 * manager had. Nothing is summed over reports, so there is nothing that could become wrong.
 */
export function quarterColumns(names: Names) {
  const room = roomForRows(names);
  const changes = changeLog();
  let index: SecurityIndex | null = null;
  const computed = new Map<() => unknown, unknown>();
  const contentOf = (row: number): string => {
    const { issuer, filing, flags } = room.columns();
    const { amount, valueCents } = room.exactOf(row);
    return `${amount} ${valueCents} ${issuer[row]} ${filing[row]} ${flags[row]}`;
  };
  const drop = (cik: Cik): void => {
    const manager = names.managers.numberOf(cik);
    const { from, to } = room.rangeOf(manager);
    const { security } = room.columns();
    changes.noteReport(manager);
    for (let row = from; row < to; row += 1) {
      changes.noteGone(manager, security[row] as number, () => contentOf(row));
      index?.noteGone(security[row] as number, row);
    }
    room.drop(manager);
    if (index?.isWorn()) index = null;
  };
  const reserve = (rows: number): void => {
    if (room.reserve(rows)) index = null;
  };
  return {
    /** Makes room for rows that will be put. */
    reserve,
    put(cik: Cik, rows: readonly ColumnRow[]): void {
      drop(cik);
      reserve(rows.length);
      const manager = names.managers.numberOf(cik);
      const { from, to } = room.put(manager, rows);
      const { security } = room.columns();
      for (let row = from; row < to; row += 1) {
        changes.noteCome(manager, security[row] as number, () => contentOf(row));
        index?.noteCome(security[row] as number, row);
      }
      changes.endReport(manager);
    },
    drop,
    /** Valid until the next report is put. Rows of no range are those of replaced reports. */
    columns: room.columns,
    rows: room.rows,
    rangeOf: room.rangeOf,
    amountOf: room.amountOf,
    centsOf: room.centsOf,
    exactOf: room.exactOf,
    /** What `make` made at the first time: what is computed over a quarter is kept as long as its columns. */
    remembered<T>(make: () => T): T {
      if (!computed.has(make)) computed.set(make, make());
      return computed.get(make) as T;
    },
    /** For {@link changesSince}. */
    now: changes.now,
    changesSince: changes.since,
    /** The rows of one security, in no order. */
    rowsOf(security: number): Int32Array {
      index ??= securityIndex(room.columns().security, room.ranges(), names.securities.size());
      return index.rowsOf(security);
    },
  };
}

/** Part of the rows that may come and go before the index is built again. */
const MAX_MOVED = 1 / 32;

const NO_ROWS = new Int32Array(0);

type Range = { readonly from: number; readonly to: number };

type SecurityIndex = ReturnType<typeof securityIndex>;

/**
 * The rows by security: those of number n are `rows[starts[n]]` up to `rows[starts[n + 1]]`. Rows that come or
 * go later are noted, so that one replaced report does not index all others again.
 */
function securityIndex(security: ArrayLike<number>, ranges: readonly Range[], securities: number) {
  const { starts, rows } = sortedBySecurity(security, ranges, securities);
  /** The rows of securities of which some came or went, as of the last look at each. */
  const own = new Map<number, Int32Array>();
  /** What came and went since that look. */
  const moved = { gone: new Map<number, Set<number>>(), come: new Map<number, number[]>() };
  let count = 0;
  const rowsOf = (one: number): Int32Array => {
    const known = own.get(one);
    if (known !== undefined) return known;
    if (one + 1 >= starts.length) return NO_ROWS;
    return rows.subarray(starts[one] as number, starts[one + 1] as number);
  };
  return {
    noteGone(one: number, row: number): void {
      const known = moved.gone.get(one);
      if (known === undefined) moved.gone.set(one, new Set([row]));
      else known.add(row);
      count += 1;
    },
    noteCome(one: number, row: number): void {
      const known = moved.come.get(one);
      if (known === undefined) moved.come.set(one, [row]);
      else known.push(row);
      count += 1;
    },
    /** Whether so much came and went that another index costs less. */
    isWorn: (): boolean => count > rows.length * MAX_MOVED,
    rowsOf(one: number): Int32Array {
      const [gone, come] = [moved.gone.get(one), moved.come.get(one)];
      if (gone === undefined && come === undefined) return rowsOf(one);
      const before = rowsOf(one);
      const all = new Int32Array(before.length + (come?.length ?? 0));
      all.set(before);
      all.set(come ?? [], before.length);
      // A row may have come and gone since.
      own.set(one, gone === undefined ? all : all.filter((row) => !gone.has(row)));
      moved.gone.delete(one);
      moved.come.delete(one);
      return rowsOf(one);
    },
  };
}

function sortedBySecurity(security: ArrayLike<number>, ranges: readonly Range[], securities: number) {
  const starts = new Int32Array(securities + 1);
  for (const { from, to } of ranges) {
    for (let row = from; row < to; row += 1) (starts[(security[row] as number) + 1] as number) += 1;
  }
  for (let at = 1; at <= securities; at += 1) (starts[at] as number) += starts[at - 1] as number;
  const next = starts.slice();
  const rows = new Int32Array(starts[securities] as number);
  for (const { from, to } of ranges) {
    for (let row = from; row < to; row += 1) {
      const place = next[security[row] as number] as number;
      rows[place] = row;
      next[security[row] as number] = place + 1;
    }
  }
  return { starts, rows };
}
