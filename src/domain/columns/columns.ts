import type { Cik } from '../ids.ts';
import { changeLog } from './changes.ts';
import type { Names } from './names.ts';
import { type ColumnRow, roomForRows } from './room.ts';
import { type SecurityIndex, securityIndex } from './security-index.ts';

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
