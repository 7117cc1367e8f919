import { addDays } from '../calendar.ts';
import { compare } from '../compare.ts';
import type { OwnershipRow } from '../filing/filing.ts';
import type { IsoDate } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import {
  IMPLAUSIBLE_PRICE_FACTOR,
  IMPLAUSIBLE_PRICE_FACTOR_ACROSS_SPLITS,
  LOWEST_REFERENCE_CENTS,
  REFERENCE_DAYS,
  SAME_QUARTER_FACTOR,
} from './thresholds.ts';
import { isOpenMarketCode, securityKey, type Trade } from './trade.ts';

/** What one share was worth on a day, in cents and parts of them. */
export type ReferencePrice = { readonly day: IsoDate; readonly cents: number };

/** The parts of a trade that decide whether its price is plausible. */
export type PricedRow = Pick<OwnershipRow, 'code' | 'shares' | 'pricePerShare' | 'securityTitle'> &
  Pick<Trade, 'id' | 'priced' | 'placedOn'>;

export function pricedRowOf({ id, row, priced, placedOn }: Trade): PricedRow {
  const { code, shares, pricePerShare, securityTitle } = row;
  return { id, code, shares, pricePerShare, securityTitle, priced, placedOn };
}

/**
 * `price_implausible` for a purchase or sale whose price cannot be the price of a share (rule 6.3). Where the
 * market prices decide nothing, the other trades of its security do.
 */
export function priceReasons(
  row: PricedRow,
  market: readonly ReferencePrice[],
  trades: readonly TradePrice[],
): Reason[] {
  const isFair = isPlausible(row, market) ?? isPlausible(row, otherTrades(row, trades));
  return isFair === false ? ['price_implausible'] : [];
}

/**
 * Whether a price can be the price of a share, by known prices of any days. A price near one of the two around
 * its day is explained: the share may have been split or have crashed between them. Null where nothing decides.
 */
export function isPlausible(row: PricedRow, prices: readonly ReferencePrice[]): boolean | null {
  if (!isOpenMarketCode(row.code) || !row.priced) return true;
  // The factors are large, so prices may be compared as numbers.
  const cents = Number(row.pricePerShare) * 100;
  const [from, to] = [addDays(row.placedOn, -REFERENCE_DAYS), addDays(row.placedOn, REFERENCE_DAYS)];
  const near = prices.filter(({ day }) => day >= from && day <= to);
  const isFar = (one: ReferencePrice): boolean => cents > one.cents * IMPLAUSIBLE_PRICE_FACTOR;
  if (near.some((one) => isFar(one) && isAlike(cents / Number(row.shares), one.cents))) return false;
  const [one, other] = pricesAround(row.placedOn, near);
  if (one === undefined) return null;
  if (other !== undefined) return !(isFar(one) && isFar(other));
  if (cents > one.cents * IMPLAUSIBLE_PRICE_FACTOR_ACROSS_SPLITS) return false;
  return isFar(one) ? null : true;
}

function isAlike(a: number, b: number): boolean {
  return a < b * SAME_QUARTER_FACTOR && a > b / SAME_QUARTER_FACTOR;
}

/** The last one until the day and the first one since; of one day the higher. */
function pricesAround(day: IsoDate, near: readonly ReferencePrice[]): ReferencePrice[] {
  const sorted = [...near].sort((a, b) => compare(a.day, b.day) || a.cents - b.cents);
  const before = sorted.findLast((one) => one.day <= day);
  const after = sorted.filter((one) => one.day >= day && one !== before);
  const nearest = after.findLast((one) => one.day === after[0]?.day);
  return [before, nearest].filter((one) => one !== undefined);
}

/** A purchase or sale as a price of its security. */
export type TradePrice = ReferencePrice & { readonly id: string; readonly security: string };

/** Empty for other rows, and for a price below one cent, as founders pay. */
export function tradePrice({
  id,
  code,
  pricePerShare,
  securityTitle,
  priced,
  placedOn,
}: PricedRow): TradePrice[] {
  const cents = Number(pricePerShare) * 100;
  const isMarket = isOpenMarketCode(code) && priced && cents >= LOWEST_REFERENCE_CENTS;
  return isMarket ? [{ id, security: securityKey(securityTitle), day: placedOn, cents }] : [];
}

function otherTrades({ id, securityTitle }: PricedRow, trades: readonly TradePrice[]): TradePrice[] {
  const own = securityKey(securityTitle);
  return trades.filter((other) => other.id !== id && other.security === own);
}
