import type { Moment } from '../columns/changes.ts';
import { quarterColumns } from '../columns/columns.ts';
import type { ColumnRow, Names } from '../columns/room.ts';
import type { Cik, Cusip } from '../ids.ts';
import { qualityOf } from '../quality/quality.ts';
import { stoodStill } from './holding.ts';
import { agreedRow, type HeldRow, isPriceable, type PricedSecurity } from './implied-price.ts';

/** A row that a report shows, exited ones included. */
export type ShownRow = Omit<HeldRow, 'cik'> & { readonly issuer: string };

/** A report as it is shown, with what other filers imply. */
export type ShownReport = { readonly cik: Cik; readonly rows: readonly ShownRow[] };

/** Bits of a shown row. */
export const HELD = 1;

const PRICEABLE = 2;
const COMPARED = 4;
const UNCHANGED = 8;
const SPLIT_LIKE = 16;

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

type Of = { readonly names: Names; readonly managers: readonly Cik[] };

type One = { readonly names: Names; readonly counts: Uint8Array; readonly security: number };

/**
 * Every security that the rows of some managers price, in no order. For the same quarter time and again it prices only
 * the securities with other rows, and those of managers that count now and did not, or the reverse.
 */
export function rememberingShownPrices() {
  const known: (PricedSecurity | null)[] = [];
  let seen: Moment | null = null;
  let counted: Uint8Array = new Uint8Array(0);
  return (quarter: ShownQuarter, { names, managers }: Of): [Cusip, PricedSecurity][] => {
    const counts = markedManagers(names, managers);
    const changed = quarter.changesSince(seen)?.securities;
    // Until the end: what is thrown half-way leaves nothing that is believed.
    seen = null;
    const securities = new Set(changed ?? Array(names.securities.size()).keys());
    if (changed !== undefined)
      for (const one of listedByOthers(quarter, counted, counts)) securities.add(one);
    for (const security of securities) known[security] = priceOf(quarter, { names, counts, security });
    [seen, counted] = [quarter.now(), counts];
    return [...known.entries()].flatMap(([security, price]) =>
      price ? [[names.securities.textOf(security), price]] : [],
    );
  };
}

function priceOf(quarter: ShownQuarter, { names, counts, security }: One): PricedSecurity | null {
  const { manager, flags } = quarter.columns();
  const rows = quarter
    .rowsOf(security)
    .filter((row) => counts[manager[row] as number] === 1 && ((flags[row] as number) & PRICEABLE) !== 0);
  const agreed = agreedRow({ ...quarter, names }, rows);
  if (agreed === null) return null;
  const { amount: shares, valueCents } = quarter.exactOf(agreed.row);
  return {
    valueCents,
    shares,
    filers: agreed.filers,
    compared: countOf(flags, rows, COMPARED),
    unchanged: countOf(flags, rows, UNCHANGED),
    splitLike: countOf(flags, rows, SPLIT_LIKE),
  };
}

function countOf(flags: Uint8Array, rows: Int32Array, bit: number): number {
  let count = 0;
  for (const row of rows) if (((flags[row] as number) & bit) !== 0) count += 1;
  return count;
}
