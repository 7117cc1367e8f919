import type { Accession, Cusip } from '../ids.ts';
import { type Reason, UNSOUND } from '../quality/quality.ts';
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
