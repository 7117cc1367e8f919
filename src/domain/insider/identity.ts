import { addDays } from '../calendar.ts';
import { SAME_TRADE_DAYS } from './thresholds.ts';
import { securityKey } from './title.ts';
import type { Trade } from './trade.ts';

export function sharesReportingOwner(a: Trade, b: Trade): boolean {
  return a.owners.some((owner) => b.owners.some((other) => other.cik === owner.cik));
}

/**
 * Rows with equal fingerprints may be one trade (rule 6.6): issuer, security, date, code, shares,
 * price and shares owned after, whatever the spelling of titles and amounts.
 */
export function fingerprint({ filing, row }: Trade): string {
  const amounts = [row.shares, row.pricePerShare, row.sharesOwnedAfter].map(plainDecimal);
  const identity = [filing.issuer.cik, securityKey(row.securityTitle), row.transactionDate, row.code];
  return [...identity, ...amounts].join('|');
}

/** For rows with equal fingerprints: filed at most {@link SAME_TRADE_DAYS} days apart, with a common owner. */
export function isSameTrade(a: Trade, b: Trade): boolean {
  return isFiledNear(a, b) && sharesReportingOwner(a, b);
}

/**
 * For rows with equal fingerprints: whether two owners without a common form report one block, as a fund
 * and its partner do. Then price and shares owned after are known and agree too.
 */
export function isSameBlock(a: Trade, b: Trade): boolean {
  const { transactionDate, pricePerShare, sharesOwnedAfter } = a.row;
  const isKnown = [transactionDate, pricePerShare, sharesOwnedAfter].every((value) => value !== null);
  return isKnown && isFiledNear(a, b);
}

function isFiledNear(a: Trade, b: Trade): boolean {
  const [from, to] = [a.filing.header.filedDate, b.filing.header.filedDate].sort();
  return from !== undefined && to !== undefined && to <= addDays(from, SAME_TRADE_DAYS);
}

/** Absent and zero amounts are never the same. */
export function isSameAmount(a: string | null, b: string | null): boolean {
  const amount = plainDecimal(a);
  return /[1-9]/.test(amount) && amount === plainDecimal(b);
}

/** `10`, `10.0` and `010.00` are one amount; empty when there is none. */
export function plainDecimal(decimal: string | null): string {
  if (decimal === null) return '';
  const trimmed = decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
  return trimmed.replace(/^0+(?=\d)/, '');
}
