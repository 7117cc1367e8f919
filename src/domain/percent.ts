import { roundHalfEvenDiv } from './money.ts';

/** Percent with four decimals is an integer number of millionths of the whole. */
const MILLIONTHS = 1_000_000n;
const DECIMALS = 10_000;

/**
 * Change in percent of the previous amount, 4 decimals half-even, from an exact ratio that is
 * converted once. From nothing it is 100, to nothing -100, unchanged 0 (rule 5.2).
 */
export function pctDelta(current: bigint, previous: bigint): number {
  if (current === previous) return 0;
  if (previous === 0n) return 100;
  if (current === 0n) return -100;
  const base = previous < 0n ? -previous : previous;
  return Number(roundHalfEvenDiv((current - previous) * MILLIONTHS, base)) / DECIMALS;
}

/** Share of the total in percent, 4 decimals half-even; 0 of an empty total. */
export function weightPct(part: bigint, total: bigint): number {
  if (total === 0n) return 0;
  return Number(roundHalfEvenDiv(part * MILLIONTHS, total)) / DECIMALS;
}
