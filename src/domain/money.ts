import Big from 'big.js';

const DECIMAL = /^[+-]?(\d+(?:\.\d*)?|\.\d+)$/;
const HALF_EVEN = 2;

export function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Division rounded to the nearest integer, ties to even. The denominator must not be zero. */
export function roundHalfEvenDiv(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const [n, d] = [abs(numerator), abs(denominator)];
  const floor = n / d;
  const twice = (n - floor * d) * 2n;
  const up = twice > d || (twice === d && (floor & 1n) === 1n);
  const rounded = up ? floor + 1n : floor;
  return negative ? -rounded : rounded;
}

/** `123456n` becomes `"1234.56"`; always two decimals. */
export function centsToDollarsString(cents: bigint): string {
  const sign = cents < 0n ? '-' : '';
  const digits = String(abs(cents)).padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Whole dollars, half-even, for fields typed as an integer number of dollars. */
export function wholeDollarsFromCents(cents: bigint): number {
  return Number(roundHalfEvenDiv(cents, 100n));
}

/** Dollars and cents as the nearest number, for `value_usd` of a trade. */
export function dollarsFromCents(cents: bigint): number {
  return Number(centsToDollarsString(cents));
}

/**
 * Shares times price, both exact decimal strings (Form 4 has fractions), in cents, half-even:
 * the product is rounded once (rule 6.2). Null when either is not a plain decimal.
 */
export function productToCents(shares: string, price: string): bigint | null {
  if (!DECIMAL.test(shares) || !DECIMAL.test(price)) return null;
  const cents = new Big(shares.replace(/^\+/, '')).times(price.replace(/^\+/, '')).times(100);
  return BigInt(cents.round(0, HALF_EVEN).toFixed(0));
}
