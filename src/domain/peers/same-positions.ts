import { sha256Hex } from '../canonical.ts';
import { groupBy } from '../group.ts';
import type { Cik, Cusip } from '../ids.ts';
import { MIN_SAME_POSITIONS } from './thresholds.ts';

/** The same text for the same positions in any order; null for too few of them. */
export function digestOfPositions(
  positions: readonly { readonly cusip: Cusip; readonly amount: bigint }[],
): string | null {
  if (positions.length < MIN_SAME_POSITIONS) return null;
  return sha256Hex(
    positions
      .map(({ cusip, amount }) => `${cusip}${amount}`)
      .sort()
      .join(),
  );
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
