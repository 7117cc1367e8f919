import { compare } from '../compare.ts';
import type { Cik } from '../ids.ts';
import type { Changed } from './changed.ts';
import { comparableManagers, type FiledQuarter, type FiledQuarters } from './filed-quarter.ts';
import { CARRIED_SHARE, MIN_SUCCESSION_POSITIONS, SUCCESSION_OVERLAP } from './thresholds.ts';

/** The numbers of a manager's securities, ascending, and the shares of each. */
type HeldPositions = {
  readonly cik: Cik;
  readonly securities: readonly number[];
  readonly shares: readonly number[];
};

/**
 * Compares the last filed positions of managers that no longer report holdings with the first ones of
 * new managers. Returns the predecessor of each new manager that took one over (rule 4.10). Compares again only
 * when one of these managers changed, because most reports are of others.
 */
export function takenOver() {
  let known = { managers: '', predecessors: new Map<Cik, Cik>() };
  return ({ prior, current, earlierFilers, names }: FiledQuarters, changed: Changed): Map<Cik, Cik> => {
    const still = new Set(comparableManagers(current));
    const ended = comparableManagers(prior).filter((cik) => !still.has(cik));
    const started = [...still].filter((cik) => !earlierFilers.has(cik) && !prior.reports.has(cik));
    const managers = [ended.toSorted(compare), started.toSorted(compare)].join(' ');
    const isChanged = (cik: Cik) => changed.managers.has(names.managers.numberOf(cik));
    if (managers !== known.managers || ended.some(isChanged) || started.some(isChanged)) {
      // In the first quarter that is stored all managers are new, and none has ended.
      const isNobody = ended.length === 0 || started.length === 0;
      const predecessors = isNobody
        ? new Map<Cik, Cik>()
        : predecessorsOf(positionsOf(prior, ended), positionsOf(current, started));
      known = { managers, predecessors };
    }
    return known.predecessors;
  };
}

/** In the order of the CIKs. */
function positionsOf(quarter: FiledQuarter, ciks: readonly Cik[]): HeldPositions[] {
  const { security } = quarter.columns();
  return ciks
    .toSorted(compare)
    .map((cik) => {
      const { from, to } = quarter.rangeOf(quarter.reports.get(cik)?.manager ?? -1);
      const rows = Array.from({ length: to - from }, (_, at) => from + at);
      rows.sort((a, b) => (security[a] as number) - (security[b] as number));
      const securities = rows.map((row) => security[row] as number);
      const shares = rows.map((row) => quarter.amountOf(row));
      return { cik, securities, shares };
    })
    .filter(({ securities }) => securities.length >= MIN_SUCCESSION_POSITIONS);
}

/** The best match; the lowest CIK of equal ones. */
function predecessorsOf(ended: readonly HeldPositions[], started: readonly HeldPositions[]): Map<Cik, Cik> {
  const found = new Map<Cik, Cik>();
  for (const after of started) {
    let best = { overlap: 0, cik: null as Cik | null };
    for (const before of ended) {
      const overlap = overlapOf(before, after);
      if (overlap > best.overlap) best = { overlap, cik: before.cik };
    }
    if (best.cik !== null) found.set(after.cik, best.cik);
  }
  return found;
}

/**
 * Part of the larger set of positions that is in the other one too, with about the same shares; 0 below
 * the threshold. The comparison ends as soon as that is certain.
 */
function overlapOf(a: HeldPositions, b: HeldPositions): number {
  const larger = Math.max(a.securities.length, b.securities.length);
  const allowed = Math.floor(larger * (1 - SUCCESSION_OVERLAP) + 1e-9);
  let [i, j, common] = [0, 0, 0];
  while (i < a.securities.length && j < b.securities.length) {
    const [left, right] = [a.securities[i] as number, b.securities[j] as number];
    if (left === right && isCarried(a.shares[i] as number, b.shares[j] as number)) common += 1;
    if (left <= right) i += 1;
    if (right <= left) j += 1;
    if (Math.max(i, j) - common > allowed) return 0;
  }
  return larger - common > allowed ? 0 : common / larger;
}

function isCarried(before: number, after: number): boolean {
  return Math.min(before, after) >= Math.max(before, after) * CARRIED_SHARE;
}
