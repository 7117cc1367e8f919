import { groupBy } from '../group.ts';
import type { Cik, Cusip } from '../ids.ts';
import { MIN_SAME_POSITIONS } from './thresholds.ts';

/** Sums over the positions, so that their order does not matter. */
type Sums = { high: number; low: number };

/** The same text for the same positions; null for too few of them. 64 bits and the count tell sets apart. */
export function digestOfPositions(
  positions: readonly { readonly cusip: Cusip; readonly amount: bigint }[],
): string | null {
  if (positions.length < MIN_SAME_POSITIONS) return null;
  const sums = { high: 0, low: 0 };
  for (const { cusip, amount } of positions) addTo(sums, cusip, amount);
  return `${positions.length} ${sums.high} ${sums.low}`;
}

/** For each manager that filed the same positions as others, the lowest CIK of those others (rule 4.10). */
export function samePositions(
  reports: Iterable<{ readonly cik: Cik; readonly digest: string | null }>,
): Map<Cik, Cik> {
  const alike = groupBy([...reports], ({ digest }) => digest);
  const twins = new Map<Cik, Cik>();
  for (const group of alike.values()) {
    const managers = group.map(({ cik }) => cik).sort();
    const [lowest, second] = managers;
    if (lowest === undefined || second === undefined) continue;
    for (const cik of managers) twins.set(cik, cik === lowest ? second : lowest);
  }
  return twins;
}

/** Two multiplicative hashes of the position's text, mixed so that their sums tell sets apart. */
function addTo(sums: Sums, cusip: Cusip, amount: bigint): void {
  const text = `${cusip}${amount}`;
  let high = 0x811c9dc5;
  let low = 0x2f0b4c47;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x9e3779b1);
  }
  sums.high = (sums.high + mix(high)) >>> 0;
  sums.low = (sums.low + mix(low)) >>> 0;
}

function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
