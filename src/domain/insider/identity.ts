import Big from 'big.js';
import { addDays } from '../calendar.ts';
import { groupBy } from '../group.ts';
import { isHeldTogether, isOneGroup } from './one-group.ts';
import { SAME_TRADE_DAYS } from './thresholds.ts';
import { securityKey } from './title.ts';
import type { Trade } from './trade.ts';

export function sharesReportingOwner(a: Pick<Trade, 'owners'>, b: Pick<Trade, 'owners'>): boolean {
  return a.owners.some((owner) => b.owners.some((other) => other.cik === owner.cik));
}

/** How an amount is compared: {@link plainDecimal}, or rounded as in a data set. */
export type AmountText = (decimal: string | null) => string;

/**
 * How the amounts of these rows are compared: as exactly as the least exact of them. A form that was
 * imported from a data set has two decimals where its document may have more (rule 6.1).
 */
export function amountAmong(trades: readonly Trade[]): AmountText {
  return trades.some(isRounded) ? roundedDecimal : plainDecimal;
}

/** Groups of rows with equal keys, each with its amounts as {@link amountAmong} its own rows. */
export function groupsAlike(
  trades: readonly Trade[],
  keyOf: (trade: Trade, amountOf: AmountText) => string,
): (readonly Trade[])[] {
  const alike = groupBy(trades, (trade) => keyOf(trade, roundedDecimal));
  return [...alike.values()].flatMap((group) =>
    group.some(isRounded) ? [group] : [...groupBy(group, (trade) => keyOf(trade, plainDecimal)).values()],
  );
}

/** Every document names the version of its schema; a data set does not. */
export function isRounded({ filing }: Trade): boolean {
  return filing.schemaVersion === null;
}

/**
 * Rows with equal fingerprints may be one trade (rule 6.6): issuer, security, date, code, shares,
 * price and shares owned after, whatever the spelling of titles and amounts.
 */
export function fingerprint(trade: Trade, amountOf: AmountText): string {
  return `${blockKey(trade, amountOf)}|${amountOf(trade.row.sharesOwnedAfter)}`;
}

/** The same without the shares owned after, which differ where one of two filers holds more than the block. */
export function blockKey({ filing, row }: Trade, amountOf: AmountText): string {
  const identity = [filing.issuer.cik, securityKey(row.securityTitle), row.transactionDate, row.code];
  return [...identity, amountOf(row.shares), amountOf(row.pricePerShare)].join('|');
}

/** For rows with equal fingerprints: filed at most {@link SAME_TRADE_DAYS} days apart, with a common owner. */
export function isSameTrade(a: Trade, b: Trade): boolean {
  return isFiledNear(a, b) && sharesReportingOwner(a, b);
}

/**
 * For rows with equal fingerprints: whether owners without a common form report one block, as a fund and its
 * partner do. Then price and shares owned after are known, and their forms show one group.
 */
export function isSameBlock(a: Trade, b: Trade): boolean {
  return isBlock(a, b) && a.row.sharesOwnedAfter !== null && isOneGroup(a, b);
}

/** For rows with equal block keys: the same, where the rows themselves show who holds for whom. */
export function isBlockHeldTogether(a: Trade, b: Trade): boolean {
  return isBlock(a, b) && !sharesReportingOwner(a, b) && isHeldTogether(a, b);
}

function isBlock(a: Trade, b: Trade): boolean {
  return a.row.transactionDate !== null && a.row.pricePerShare !== null && isFiledNear(a, b);
}

function isFiledNear(a: Trade, b: Trade): boolean {
  const [from, to] = [a.filing.header.filedDate, b.filing.header.filedDate].sort();
  return from !== undefined && to !== undefined && to <= addDays(from, SAME_TRADE_DAYS);
}

type Amount = 'shares' | 'pricePerShare' | 'sharesOwnedAfter';

/** Absent and zero amounts are never the same. */
export function isSameAmount(own: Trade, other: Trade, amount: Amount): boolean {
  return /[1-9]/.test(amountAmong([own, other])(own.row[amount])) && isSpelled(own, other, amount);
}

/** Also when both are absent or zero. */
export function isSpelled(own: Trade, other: Trade, amount: Amount): boolean {
  const amountOf = amountAmong([own, other]);
  return amountOf(own.row[amount]) === amountOf(other.row[amount]);
}

/** `10`, `10.0` and `010.00` are one amount; empty when there is none. */
export function plainDecimal(decimal: string | null): string {
  if (decimal === null) return '';
  const trimmed = decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
  return trimmed.replace(/^0+(?=\d)/, '');
}

/** `224.048` as a data set has it: `224.05`. */
function roundedDecimal(decimal: string | null): string {
  const plain = plainDecimal(decimal);
  return /\.\d{3}/.test(plain) ? plainDecimal(new Big(plain).toFixed(2, Big.roundHalfUp)) : plain;
}
