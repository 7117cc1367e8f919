import type { QuarterColumns } from '../columns/columns.ts';
import type { Accession, Cusip } from '../ids.ts';
import { type Reason, UNSOUND } from '../quality/quality.ts';
import { MIN_PRICE_FILERS } from '../report/thresholds.ts';
import { MIN_SCALED_VALUE } from './thresholds.ts';

/**
 * One manager's equity position (SH, no option) as filed: the share count as it is, and the value in
 * the scale of the filing date (`valueScaleCents`), never in a corrected one. So what is concluded
 * from positions never enters them again.
 */
export type FiledPosition = {
  readonly cusip: Cusip;
  /** The issuer's name as the report spells it. */
  readonly issuer: string;
  readonly amount: bigint;
  readonly valueCents: bigint;
  /** The filing that all rows of the position come from; null when several filings are summed in it. */
  readonly accession: Accession | null;
  readonly reasons: readonly Reason[];
};

/** Bits of a position in the columns of its quarter: it is sound, a quote, or gives a price to others. */
export const SOUND = 1;

export const QUOTE = 2;
export const PRICEABLE = 4;

/** The quotes of a security at a quarter's end. */
export type Quotes = {
  /** Places in the columns. */
  readonly rows: Int32Array;
  /** Decimal logarithms of cents per share; a statistic, so they are in floating point. */
  readonly logs: Float64Array;
};

type PricedColumns = Pick<QuarterColumns, 'columns' | 'amountOf' | 'centsOf' | 'rowsOf'>;

export function quotesOf(quarter: PricedColumns, security: number): Quotes {
  const { flags } = quarter.columns();
  const all = quarter.rowsOf(security);
  const rows = new Int32Array(all.length);
  const logs = new Float64Array(all.length);
  let count = 0;
  for (const row of all) {
    if (((flags[row] as number) & QUOTE) === 0) continue;
    rows[count] = row;
    logs[count] = Math.log10(quarter.centsOf(row) / quarter.amountOf(row));
    count += 1;
  }
  return { rows: rows.subarray(0, count), logs: logs.subarray(0, count) };
}

/** Median of the logarithms over all filers; null of fewer than three filers. */
export function medianPrice({ logs }: Pick<Quotes, 'logs'>): number | null {
  return logs.length < MIN_PRICE_FILERS ? null : medianOf(logs.toSorted());
}

/** The median of the list without one of its members; null when fewer than three remain. */
export function medianWithout(sorted: Float64Array, member: number): number | null {
  const others = sorted.length - 1;
  if (others < MIN_PRICE_FILERS) return null;
  const middle = Math.floor(others / 2);
  const upper = otherAt(sorted, middle, member);
  return others % 2 === 1 ? upper : (otherAt(sorted, middle - 1, member) + upper) / 2;
}

/** At a place of the list without the member: what is smaller than it keeps its place. */
function otherAt(sorted: Float64Array, place: number, member: number): number {
  const there = sorted[place] as number;
  return there < member ? there : (sorted[place + 1] as number);
}

/** The list is in ascending order and not empty. */
export function medianOf(sorted: ArrayLike<number>): number {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** Whether the row of a quarter's columns is {@link isSound}. */
export function isSoundIn({ flags }: { readonly flags: Uint8Array }, row: number): boolean {
  return ((flags[row] as number) & SOUND) !== 0;
}

/** A position whose CUSIP and amounts are not in doubt. */
export function isSound({ amount, valueCents, reasons }: FiledPosition): boolean {
  return amount > 0n && valueCents >= 0n && !reasons.some((reason) => UNSOUND.has(reason));
}

/**
 * Whether a position prices its security. A position of several filings has no one scale, and one whose
 * shares repeat its value has no share count (rule 2.3): neither is a quote.
 * @param scale of its filing by date: cents in one unit of the value column
 */
export function isQuote(position: FiledPosition, scale: bigint): boolean {
  const { accession, amount, valueCents } = position;
  if (accession === null || !isSound(position)) return false;
  return valueCents >= scale * MIN_SCALED_VALUE && valueCents !== amount * scale;
}
