import type { QuarterColumns } from '../columns/columns.ts';
import type { Names } from '../columns/room.ts';
import { compare } from '../compare.ts';
import type { Cik, Cusip } from '../ids.ts';
import { abs } from '../money.ts';
import { type Reason, UNSOUND } from '../quality/quality.ts';
import type { PositionChange } from './report.ts';
import { MIN_PRICE_FILERS, PRICE_BAND_PCT } from './thresholds.ts';

/** A row with one of these gives no price for the security that it names. */
const UNPRICED_REASONS: ReadonlySet<Reason> = new Set([...UNSOUND, 'implied_price_outlier']);

/** One filer's equity position in a security at a quarter end, with its shares the quarter before. */
export type HeldRow = Pick<PositionChange, 'cusip' | 'amount' | 'valueCents' | 'priorAmount' | 'reasons'> & {
  readonly cik: Cik;
};

/**
 * The price of a share at a quarter end as an exact ratio: the value and the shares of the middle filer.
 * Without rounding, the scale of the values cancels out of every return.
 */
export type ImpliedPrice = {
  readonly valueCents: bigint;
  readonly shares: bigint;
  /** Filers within the band. */
  readonly filers: number;
};

/** With evidence for a split since the quarter before, from the share counts of filers that held at both ends. */
export type PricedSecurity = ImpliedPrice & {
  readonly compared: number;
  readonly unchanged: number;
  readonly splitLike: number;
};

/** A quarter's prices by CUSIP. */
export type PriceTable = ReadonlyMap<Cusip, PricedSecurity>;

/** Whether a row can give a price: its security and its counts are not in doubt. */
export function isPriceable(row: Pick<HeldRow, 'amount' | 'valueCents' | 'reasons'>): boolean {
  return row.amount > 0n && row.valueCents > 0n && !row.reasons.some((one) => UNPRICED_REASONS.has(one));
}

type Quote = Pick<HeldRow, 'cik' | 'amount' | 'valueCents'>;

/**
 * The median of value per share over filers, weighted by shares (rule 4.2). The band is around the
 * plain median: one large filer at the wrong scale would move a weighted one. Null when fewer than three
 * filers agree. Of two middle filers the lower one counts, so the price is always one that was filed.
 */
export function agreedQuote<Q extends Quote>(
  quotes: readonly Q[],
): { readonly quote: Q; readonly filers: number } | null {
  const sorted = quotes.toSorted(compareQuotes);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) return null;
  const near = sorted.filter((quote) => isNear(quote, middle));
  if (near.length < MIN_PRICE_FILERS) return null;
  const all = near.reduce((sum, quote) => sum + quote.amount, 0n);
  let shares = 0n;
  const quote = near.find(({ amount }) => {
    shares += amount;
    return shares * 2n >= all;
  });
  return quote === undefined ? null : { quote, filers: near.length };
}

function isNear(quote: Quote, middle: Quote): boolean {
  const difference = quote.valueCents * middle.amount - middle.valueCents * quote.amount;
  return abs(difference) * 100n <= middle.valueCents * quote.amount * PRICE_BAND_PCT;
}

/** By value per share without dividing, then by CIK. */
function compareQuotes(a: Quote, b: Quote): number {
  const left = a.valueCents * b.amount;
  const right = b.valueCents * a.amount;
  return compare(left, right) || compare(a.cik, b.cik);
}

/** The columns of a quarter with the names of its managers. */
type NamedColumns = Pick<QuarterColumns, 'columns' | 'amountOf' | 'centsOf' | 'exactOf'> & {
  readonly names: Names;
};

type AgreedRow = { readonly row: number; readonly filers: number };

const BAND = Number(PRICE_BAND_PCT);

/** Percent from the edge of the band within which floating point does not decide. */
const UNSURE = 1e-6;

/** Sums of shares below it, and twice the sums, are exact. */
const MAX_EXACT_SUM = Number.MAX_SAFE_INTEGER / 2;

/** Rows with their prices in floating point: a quotient of exact numbers is never in the wrong order, only equal. */
type Priced = { readonly rows: Int32Array; readonly prices: Float64Array };

/** The row that {@link agreedQuote} chooses among rows that give a price, at a fraction of its cost. */
export function agreedRow(quarter: NamedColumns, rows: Int32Array): AgreedRow | null {
  if (rows.length < MIN_PRICE_FILERS) return null;
  const near = rowsNear(quarter, rows);
  if (near === null) return exactlyAgreed(quarter, rows);
  const filers = near.rows.length;
  if (filers < MIN_PRICE_FILERS) return null;
  const all = sharesUpTo(quarter, near, Number.POSITIVE_INFINITY);
  if (all > MAX_EXACT_SUM) return exactlyAgreed(quarter, rows);
  const price = middlePrice(quarter, near, all);
  let shares = sharesUpTo(quarter, near, price, 'below');
  const row = equallyPriced(quarter, near, price).find((one) => {
    shares += quarter.amountOf(one);
    return shares * 2 >= all;
  });
  return row === undefined ? null : { row, filers };
}

/** The rows around the middle one; null where only exact numbers decide. */
function rowsNear(quarter: NamedColumns, rows: Int32Array): Priced | null {
  const prices = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as number;
    const [cents, shares] = [quarter.centsOf(row), quarter.amountOf(row)];
    if (cents > Number.MAX_SAFE_INTEGER || shares > Number.MAX_SAFE_INTEGER) return null;
    prices[at] = cents / shares;
  }
  const middle = prices.toSorted()[Math.floor((rows.length - 1) / 2)] as number;
  const near = { rows: new Int32Array(rows.length), prices: new Float64Array(rows.length) };
  let count = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const percent = Math.abs((prices[at] as number) / middle - 1) * 100;
    if (Math.abs(percent - BAND) < UNSURE) return null;
    if (percent > BAND) continue;
    near.rows[count] = rows[at] as number;
    near.prices[count] = prices[at] as number;
    count += 1;
  }
  return { rows: near.rows.subarray(0, count), prices: near.prices.subarray(0, count) };
}

/** The lowest price at or below which at least half of all shares are. */
function middlePrice(quarter: NamedColumns, near: Priced, all: number): number {
  const sorted = near.prices.toSorted();
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sharesUpTo(quarter, near, sorted[middle] as number) * 2 >= all) high = middle;
    else low = middle + 1;
  }
  return sorted[low] as number;
}

function sharesUpTo(
  quarter: NamedColumns,
  { rows, prices }: Priced,
  price: number,
  which: 'all' | 'below' = 'all',
): number {
  const isAll = which === 'all';
  let shares = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const own = prices[at] as number;
    if (own < price || (isAll && own === price)) shares += quarter.amountOf(rows[at] as number);
  }
  return shares;
}

/** The rows of a price in their exact order: by value per share, then by CIK. */
function equallyPriced(quarter: NamedColumns, { rows, prices }: Priced, price: number): number[] {
  const equal = [...rows].filter((_, at) => prices[at] === price);
  if (equal.length < 2) return equal;
  const quotes = equal.map((row) => ({ row, cik: cikOf(quarter, row), ...quarter.exactOf(row) }));
  return quotes
    .sort((a, b) => compare(a.valueCents * b.amount, b.valueCents * a.amount) || compare(a.cik, b.cik))
    .map(({ row }) => row);
}

function exactlyAgreed(quarter: NamedColumns, rows: Int32Array): AgreedRow | null {
  const quotes = Array.from(rows, (row) => ({ row, cik: cikOf(quarter, row), ...quarter.exactOf(row) }));
  const agreed = agreedQuote(quotes);
  return agreed === null ? null : { row: agreed.quote.row, filers: agreed.filers };
}

function cikOf({ columns, names }: NamedColumns, row: number): Cik {
  return names.managers.textOf(columns().manager[row] as number);
}
