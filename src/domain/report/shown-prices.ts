import type { Moment } from '../columns/changes.ts';
import type { Names } from '../columns/names.ts';
import type { Cik, Cusip } from '../ids.ts';
import { agreedRow } from './agreed-row.ts';
import type { PricedSecurity } from './implied-price.ts';
import {
  COMPARED,
  listedByOthers,
  markedManagers,
  PRICEABLE,
  type ShownQuarter,
  SPLIT_LIKE,
  UNCHANGED,
} from './shown-quarter.ts';

type Of = { readonly names: Names; readonly managers: readonly Cik[] };

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

type One = { readonly names: Names; readonly counts: Uint8Array; readonly security: number };

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
