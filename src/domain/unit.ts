import type { InfoTableRow, ThirteenF } from './filing.ts';
import type { IsoDate } from './ids.ts';
import type { Reason } from './quality.ts';

/** Filings made on or after this day give values in dollars, whatever their period (domain 2.1). */
export const DOLLAR_VALUES_FROM = '2023-01-03' as IsoDate;
/** Cents in one unit of the value column. */
export const CENTS_PER_THOUSAND = 100_000n;
export const CENTS_PER_DOLLAR = 100n;

/** Fewer priced rows than this cannot contradict the filing date. */
const MIN_PRICED_ROWS = 3;
/** Half of the rows below one dollar or above 10,000 a share: thousands and dollars were confused. */
const CONTRADICTING_SHARE = 0.5;
const LOW_PRICE_CENTS = 100n;
const HIGH_PRICE_CENTS = 1_000_000n;

/** How one filing's values become cents; all rows of a filing share one unit. */
export type ScaleDecision = { readonly scaleCents: bigint; readonly reasons: readonly Reason[] };

/** Cents per unit of the value column by filing date (not period): 100 000 before 2023-01-03, then 100. */
export function valueScaleCents(filedDate: IsoDate): bigint {
  return filedDate < DOLLAR_VALUES_FROM ? CENTS_PER_THOUSAND : CENTS_PER_DOLLAR;
}

/**
 * The scale of the filing date, with `value_unit_unverified` when the filing's own implied prices
 * contradict it. Never rescales: that takes the prices of other filers (domain 2.1, step 4).
 */
export function scaleByFiledDate(filing: Pick<ThirteenF, 'header' | 'rows'>): ScaleDecision {
  const scaleCents = valueScaleCents(filing.header.filedDate);
  const contradicted = pricesContradict(filing.rows, scaleCents);
  return { scaleCents, reasons: contradicted ? ['value_unit_unverified'] : [] };
}

/** How many of a filing's own priced equity rows stand where hardly any share price does. */
export type PriceTally = { priced: number; low: number; high: number };

export function noPrices(): PriceTally {
  return { priced: 0, low: 0, high: 0 };
}

/** Counts one row into the tally, if it has a price at all. */
export function tallyPrice(tally: PriceTally, amount: bigint, valueCents: bigint): void {
  if (amount <= 0n || valueCents <= 0n) return;
  tally.priced += 1;
  if (valueCents < amount * LOW_PRICE_CENTS) tally.low += 1;
  else if (valueCents > amount * HIGH_PRICE_CENTS) tally.high += 1;
}

/**
 * What a filing's own prices say of the unit that they were read with. A unit wrong by a thousand
 * makes nearly all prices impossible, so enough possible ones confirm it; too few say nothing.
 */
export function judgeOwnPrices({ priced, low, high }: PriceTally): 'confirmed' | 'contradicted' | 'silent' {
  if (priced < MIN_PRICED_ROWS) return 'silent';
  return Math.max(low, high) >= priced * CONTRADICTING_SHARE ? 'contradicted' : 'confirmed';
}

function pricesContradict(rows: readonly InfoTableRow[], scaleCents: bigint): boolean {
  const tally = noPrices();
  for (const { unit, putCall, amount, value } of rows) {
    if (unit === 'SH' && putCall === null) tallyPrice(tally, amount, value * scaleCents);
  }
  return judgeOwnPrices(tally) === 'contradicted';
}
