import { type ColumnRow, quarterColumns } from '../columns/columns.ts';
import type { Names } from '../columns/names.ts';
import type { Cik, Cusip } from '../ids.ts';
import { qualityOf } from '../quality/quality.ts';
import { agreedRow } from './agreed-row.ts';
import { stoodStill } from './holding.ts';
import { type HeldRow, isPriceable, type PricedSecurity } from './implied-price.ts';

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

type Of = { readonly names: Names; readonly managers: readonly Cik[] };

/** Every security that the rows of these managers price, in no order. */
export function pricesShown(quarter: ShownQuarter, { names, managers }: Of): [Cusip, PricedSecurity][] {
  const isChosen = new Uint8Array(names.managers.size());
  for (const cik of managers) isChosen[names.managers.numberOf(cik)] = 1;
  const { manager, flags } = quarter.columns();
  const prices: [Cusip, PricedSecurity][] = [];
  for (let security = 0; security < names.securities.size(); security += 1) {
    const rows = quarter
      .rowsOf(security)
      .filter((row) => isChosen[manager[row] as number] === 1 && ((flags[row] as number) & PRICEABLE) !== 0);
    const agreed = agreedRow({ ...quarter, names }, rows);
    if (agreed === null) continue;
    const { amount: shares, valueCents: cents } = quarter.exactOf(agreed.row);
    const price = { valueCents: cents, shares, filers: agreed.filers };
    const evidence = {
      compared: countOf(flags, rows, COMPARED),
      unchanged: countOf(flags, rows, UNCHANGED),
      splitLike: countOf(flags, rows, SPLIT_LIKE),
    };
    prices.push([names.securities.textOf(security), { ...price, ...evidence }]);
  }
  return prices;
}

function countOf(flags: Uint8Array, rows: Int32Array, bit: number): number {
  let count = 0;
  for (const row of rows) if (((flags[row] as number) & bit) !== 0) count += 1;
  return count;
}
