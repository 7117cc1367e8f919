import type { InfoTableRow, ThirteenF } from '../filing/filing.ts';
import type { IsoDate } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';

/** Filings made on or after this day give values in dollars, whatever their period (rule 2.1). */
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
 * contradict it. Never rescales: that takes the prices of other filers (rule 4.3).
 */
export function scaleByFiledDate(filing: Pick<ThirteenF, 'header' | 'rows'>): ScaleDecision {
  const scaleCents = valueScaleCents(filing.header.filedDate);
  const contradicted = pricesContradict(filing.rows, scaleCents);
  return { scaleCents, reasons: contradicted ? ['value_unit_unverified'] : [] };
}

/** How many of a filing's own priced equity rows stand where hardly any share price does. */
export type PriceTally = {
  priced: number;
  low: number;
  high: number;
  /** Rows that would stand there, at either end, in the other unit. */
  otherwise: number;
};

export function noPrices(): PriceTally {
  return { priced: 0, low: 0, high: 0, otherwise: 0 };
}

/** A row's shares and what they are worth in cents with the unit of its filing's date. */
type Priced = { readonly amount: bigint; readonly valueCents: bigint };

/** Counts one row into the tally, if it has a price at all; `eraCents` is the unit that it was read with. */
export function tallyPrice(tally: PriceTally, { amount, valueCents }: Priced, eraCents: bigint): void {
  if (amount <= 0n || valueCents <= 0n) return;
  tally.priced += 1;
  if (isLow(valueCents, amount)) tally.low += 1;
  else if (isHigh(valueCents, amount)) tally.high += 1;
  const otherCents = eraCents === CENTS_PER_DOLLAR ? CENTS_PER_THOUSAND : CENTS_PER_DOLLAR;
  const [value, shares] = [valueCents * otherCents, amount * eraCents];
  if (isLow(value, shares) || isHigh(value, shares)) tally.otherwise += 1;
}

function isLow(valueCents: bigint, amount: bigint): boolean {
  return valueCents < amount * LOW_PRICE_CENTS;
}

function isHigh(valueCents: bigint, amount: bigint): boolean {
  return valueCents > amount * HIGH_PRICE_CENTS;
}

/**
 * What a filing's own prices say of the unit that they were read with. They confirm it only where
 * the other unit would make as many of them impossible as contradict one: shares of 8 dollars filed
 * in dollars pass for 8,000, and say nothing. Of 182 real filings with three prices, one is silent.
 */
export function judgeOwnPrices(tally: PriceTally): 'confirmed' | 'contradicted' | 'silent' {
  const { priced, low, high, otherwise } = tally;
  if (priced < MIN_PRICED_ROWS) return 'silent';
  const enough = priced * CONTRADICTING_SHARE;
  if (Math.max(low, high) >= enough) return 'contradicted';
  return otherwise >= enough ? 'confirmed' : 'silent';
}

function pricesContradict(rows: readonly InfoTableRow[], scaleCents: bigint): boolean {
  const tally = noPrices();
  for (const { unit, putCall, amount, value } of rows) {
    if (unit !== 'SH' || putCall !== null) continue;
    tallyPrice(tally, { amount, valueCents: value * scaleCents }, scaleCents);
  }
  return judgeOwnPrices(tally) === 'contradicted';
}
