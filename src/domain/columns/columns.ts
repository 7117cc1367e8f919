import type { Cik } from '../ids.ts';
import { type ColumnRow, type Names, roomForRows } from './room.ts';

/** A moment in the life of the columns of one quarter. */
export type Moment = { readonly columns: symbol; readonly change: number };

/** Numbers of the managers whose reports were put or dropped, and of the securities of which rows differ. */
export type Changes = { readonly managers: readonly number[]; readonly securities: readonly number[] };

/** Rows of a dropped report that its next one does not have, by their security and content. */
type Gone = Map<string, { readonly security: number; rows: number }>;

/** Rows whose content is kept until their reports come again: some 8 MB. A few reports have fewer. */
const MAX_GONE = 20_000;

/** Part of the rows that may come and go before the index is built again. */
const MAX_MOVED = 1 / 32;

const NO_ROWS = new Int32Array(0);

type Range = { readonly from: number; readonly to: number };

type SecurityIndex = ReturnType<typeof securityIndex>;

export type QuarterColumns = ReturnType<typeof quarterColumns>;

/**
 * The rows of all reports of a quarter in columns. A report is put as a whole and replaces what its
 * manager had. Nothing is summed over reports, so there is nothing that could become wrong.
 */
export function quarterColumns(names: Names) {
  const room = roomForRows(names);
  const changes = changeLog();
  let index: SecurityIndex | null = null;
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

/**
 * Notes when the report of each manager came or went the last time, and when rows of each security did. A row
 * that comes back as it was is no change: most amendments correct a few rows of many. Where very many rows go at
 * once, those beyond `maxGone` count as changed.
 */
export function changeLog(maxGone: number = MAX_GONE) {
  const columns = Symbol('columns of a quarter');
  const last = { managers: [] as number[], securities: [] as number[] };
  const gone = new Map<number, Gone>();
  let [change, kept] = [0, 0];
  const endReport = (manager: number): void => {
    for (const { security, rows } of gone.get(manager)?.values() ?? []) {
      last.securities[security] = change;
      kept -= rows;
    }
    gone.delete(manager);
  };
  const after = (times: readonly number[], since: number): number[] =>
    times.flatMap((time, number) => (time > since ? [number] : []));
  return {
    /** A report of the manager comes or goes. */
    noteReport(manager: number): void {
      change += 1;
      last.managers[manager] = change;
    },
    noteGone(manager: number, security: number, contentOf: () => string): void {
      if (kept >= maxGone) {
        last.securities[security] = change;
        return;
      }
      const own = gone.get(manager) ?? (new Map() as Gone);
      gone.set(manager, own);
      const key = `${security} ${contentOf()}`;
      own.set(key, { security, rows: (own.get(key)?.rows ?? 0) + 1 });
      kept += 1;
    },
    noteCome(manager: number, security: number, contentOf: () => string): void {
      const own = gone.get(manager);
      const key = own === undefined ? '' : `${security} ${contentOf()}`;
      const known = own?.get(key);
      if (known === undefined) {
        last.securities[security] = change;
        return;
      }
      kept -= 1;
      if (known.rows === 1) own?.delete(key);
      else known.rows -= 1;
    },
    /** All rows of the manager's report have come: what is gone stays gone. */
    endReport,
    /** Ends reports under way: what has not come back by now is a change. */
    now: (): Moment => {
      for (const manager of gone.keys()) endReport(manager);
      return { columns, change };
    },
    /** What changed after the moment; null for a moment of other columns. */
    since: (moment: Moment | null): Changes | null => {
      if (moment?.columns !== columns) return null;
      for (const manager of gone.keys()) endReport(manager);
      return {
        managers: after(last.managers, moment.change),
        securities: after(last.securities, moment.change),
      };
    },
  };
}
