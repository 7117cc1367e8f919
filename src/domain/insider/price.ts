import type { Accession, IsoDate, QuarterEnd } from '../ids.ts';
import type { FiledPosition } from '../peers/filed-security.ts';
import type { FilingScale } from '../peers/verdict.ts';
import type { Reason } from '../quality/quality.ts';
import { previousQuarterEnd, quarterEndOf } from '../quarter.ts';
import { agreedQuote, type ImpliedPrice, isPriceable } from '../report/implied-price.ts';

/** A total typed into the price field is far above any move of a quarter (rule 6.3). */
export const IMPLAUSIBLE_PRICE_FACTOR = 10;

/**
 * The factor where only one end of the quarter has a price, as before the reports of the quarter come: a
 * reverse split of up to 1 for 100 (rule 4.5) may lie between it and the trade.
 */
export const IMPLAUSIBLE_PRICE_FACTOR_ACROSS_SPLITS = 100 * IMPLAUSIBLE_PRICE_FACTOR;

/** Within a quarter prices hardly move by more: a price that is so near per share of the trade is its total. */
export const SAME_QUARTER_FACTOR = 3;

/** Value and shares of a 13F position that stands for the price of one share. */
export type QuarterPrice = Pick<ImpliedPrice, 'valueCents' | 'shares'>;

/**
 * What 13F reports imply that a share of the issuer cost at a quarter's end, by quarter; that of its
 * dearest security where it has several, since a form's title does not always tell which one it is.
 */
export type IssuerPrices = ReadonlyMap<QuarterEnd, QuarterPrice>;

export const NO_PRICES: IssuerPrices = new Map();

/** The quarter that the day is in, then the one before: a trade lies between their two prices. */
export function quartersAround(day: IsoDate): readonly [QuarterEnd, QuarterEnd] {
  const quarter = Math.ceil(Number(day.slice(5, 7)) / 3) as 1 | 2 | 3 | 4;
  const end = quarterEndOf(Number(day.slice(0, 4)), quarter);
  return [end, previousQuarterEnd(end)];
}

/**
 * Whether a price is more than {@link IMPLAUSIBLE_PRICE_FACTOR} times both prices around its day:
 * either one explains it, since the share may have been split or have crashed between the two. Against
 * one alone it takes {@link IMPLAUSIBLE_PRICE_FACTOR_ACROSS_SPLITS}, unless it is plainly the total.
 * @param pricePerShare in dollars, a decimal string
 */
function isImplausiblePrice(pricePerShare: string, row: PricedRow, prices: IssuerPrices): boolean {
  const known = quartersAround(row.placedOn).flatMap((quarter) => prices.get(quarter) ?? []);
  // A guard against slips of a factor, so prices may be compared as numbers.
  const cents = Number(pricePerShare) * 100;
  const [one, other] = known.map(centsOf);
  if (one === undefined || cents <= one * IMPLAUSIBLE_PRICE_FACTOR) return false;
  if (other !== undefined) return cents > other * IMPLAUSIBLE_PRICE_FACTOR;
  return cents > one * IMPLAUSIBLE_PRICE_FACTOR_ACROSS_SPLITS || isTotal(cents / Number(row.shares), one);
}

function isTotal(centsEach: number, cents: number): boolean {
  return centsEach < cents * SAME_QUARTER_FACTOR && centsEach > cents / SAME_QUARTER_FACTOR;
}

function centsOf({ valueCents, shares }: QuarterPrice): number {
  return Number(valueCents) / Number(shares);
}

/** The dearer of two, which may be absent. */
export function dearer(a: QuarterPrice | undefined, b: QuarterPrice): QuarterPrice {
  return a !== undefined && a.valueCents * b.shares >= b.valueCents * a.shares ? a : b;
}

/** What of a row tells whether its price can be true; the day is the one that places it. */
export type PricedRow = {
  readonly code: string | null;
  readonly shares: string | null;
  readonly pricePerShare: string | null;
  readonly priced: boolean;
  readonly placedOn: IsoDate;
};

/** `price_implausible` for a purchase or sale whose price cannot be that of a share (rule 6.3). */
export function priceReasons(row: PricedRow, prices: IssuerPrices): Reason[] {
  const isTrade = row.code === 'P' || row.code === 'S';
  if (!isTrade || !row.priced || row.pricePerShare === null) return [];
  return isImplausiblePrice(row.pricePerShare, row, prices) ? ['price_implausible'] : [];
}

/** A price as filed, and the filing that it stands in; null when that is several. */
export type FiledPrice = QuarterPrice & { readonly accession: Accession | null };

/** The price of one security at a quarter's end from what its holders filed; null when too few agree. */
export function quarterPrice(positions: readonly FiledPosition[]): FiledPrice | null {
  const quote = agreedQuote(positions.filter(isPriceable))?.quote;
  if (quote === undefined) return null;
  return { valueCents: quote.valueCents, shares: quote.amount, accession: quote.accession };
}

/** The same in the unit that was decided for its filing: filers that agree may share a mistake (rule 4.3). */
export function inDecidedUnit(
  { valueCents, shares, accession }: FiledPrice,
  scales: ReadonlyMap<Accession, FilingScale>,
): QuarterPrice {
  const reasons = (accession === null ? null : scales.get(accession)?.reasons) ?? [];
  if (reasons.includes('value_unit_thousands_after_2023')) return { valueCents: valueCents * 1_000n, shares };
  // A ratio, so that nothing is rounded.
  if (reasons.includes('value_unit_dollars_before_2023')) return { valueCents, shares: shares * 1_000n };
  return { valueCents, shares };
}
