import { quarterColumns } from '../columns/columns.ts';
import type { Names } from '../columns/names.ts';
import type { ColumnRow } from '../columns/room.ts';
import type { Cik } from '../ids.ts';
import { qualityOf } from '../quality/quality.ts';
import { stoodStill } from './holding.ts';
import { type HeldRow, isPriceable } from './implied-price.ts';

/** A row that a report shows, exited ones included. */
export type ShownRow = Omit<HeldRow, 'cik'> & { readonly issuer: string };

/** A report as it is shown, with what other filers imply. */
export type ShownReport = { readonly cik: Cik; readonly rows: readonly ShownRow[] };

/** Bits of a shown row. */
export const HELD = 1;
export const PRICEABLE = 2;
export const COMPARED = 4;
export const UNCHANGED = 8;
export const SPLIT_LIKE = 16;

export type ShownQuarter = ReturnType<typeof shownQuarter>;

/** The reports of a quarter as they are shown; at most one of a manager. */
export function shownQuarter(names: Names) {
  const columns = quarterColumns(names);
  return {
    ...columns,
    /** Exits are left out: they make no holder and no price. */
    put: ({ cik, rows }: ShownReport): void =>
      columns.put(
        cik,
        rows.map(columnRow).filter(({ flags }) => (flags & (HELD | PRICEABLE)) !== 0),
      ),
  };
}

function columnRow(row: ShownRow): ColumnRow {
  const { amount, priorAmount, reasons } = row;
  const isCompared = priorAmount > 0n;
  const flags =
    (isHeld(row) ? HELD : 0) +
    (isPriceable(row) ? PRICEABLE : 0) +
    (isCompared ? COMPARED : 0) +
    (isCompared && stoodStill(amount, priorAmount) ? UNCHANGED : 0) +
    (isCompared && reasons.includes('split_suspected') ? SPLIT_LIKE : 0);
  return { ...row, filing: 0, flags };
}

/** Whether a row makes its manager a holder, by the rule of the totals of `/stocks`. */
export function isHeld(row: Pick<HeldRow, 'amount' | 'reasons'>): boolean {
  return row.amount > 0n && qualityOf(row.reasons).status !== 'excluded';
}

/** The securities of managers whose mark is another one now, as often as they list them. */
export function* listedByOthers(quarter: ShownQuarter, was: Uint8Array, is: Uint8Array): Generator<number> {
  const { security } = quarter.columns();
  for (let manager = 0; manager < is.length; manager += 1) {
    if ((was[manager] ?? 0) === is[manager]) continue;
    const { from, to } = quarter.rangeOf(manager);
    for (let row = from; row < to; row += 1) yield security[row] as number;
  }
}

/** A mark for each of these managers, by their numbers. */
export function markedManagers(names: Names, managers: readonly Cik[]): Uint8Array {
  const marks = new Uint8Array(names.managers.size());
  for (const cik of managers) marks[names.managers.numberOf(cik)] = 1;
  return marks;
}
