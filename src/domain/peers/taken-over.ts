import { compare } from '../compare.ts';
import type { Cik } from '../ids.ts';
import {
  comparableManagers,
  type FiledPosition,
  type FiledReports,
  type FiledSecurity,
} from './filed-security.ts';
import { CARRIED_SHARE, MIN_SUCCESSION_POSITIONS, SUCCESSION_OVERLAP } from './thresholds.ts';

/** The places of a manager's securities among all securities, ascending, and the shares of each. */
type HeldPositions = { readonly cik: Cik; readonly places: number[]; readonly shares: number[] };

/**
 * Collects the last filed positions of managers that no longer report holdings and the first ones of
 * new managers. It finds the predecessor of each new manager that took one over (rule 4.10).
 */
export function takenOver({ prior, current, earlierFilers }: FiledReports) {
  const known = new Set([...earlierFilers, ...prior.map(({ cik }) => cik)]);
  const still = new Set(comparableManagers(current));
  const ended = emptyPositions(comparableManagers(prior).filter((cik) => !still.has(cik)));
  const started = emptyPositions([...still].filter((cik) => !known.has(cik)));
  let place = 0;
  return {
    add: (security: FiledSecurity): void => {
      place += 1;
      enter(ended, security.prior, place);
      enter(started, security.current, place);
    },
    find: () => predecessorsOf(comparablePositions(ended), comparablePositions(started)),
  };
}

function emptyPositions(ciks: readonly Cik[]): Map<Cik, HeldPositions> {
  return new Map(ciks.map((cik) => [cik, { cik, places: [], shares: [] }]));
}

function enter(held: ReadonlyMap<Cik, HeldPositions>, positions: readonly FiledPosition[], place: number) {
  if (held.size === 0) return;
  for (const { cik, amount } of positions) {
    const own = held.get(cik);
    own?.places.push(place);
    own?.shares.push(Number(amount));
  }
}

/** In the order of the CIKs. */
function comparablePositions(held: ReadonlyMap<Cik, HeldPositions>): HeldPositions[] {
  return [...held.values()]
    .filter(({ places }) => places.length >= MIN_SUCCESSION_POSITIONS)
    .sort((a, b) => compare(a.cik, b.cik));
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
  const larger = Math.max(a.places.length, b.places.length);
  const allowed = Math.floor(larger * (1 - SUCCESSION_OVERLAP) + 1e-9);
  let [i, j, common] = [0, 0, 0];
  while (i < a.places.length && j < b.places.length) {
    const [left, right] = [a.places[i] as number, b.places[j] as number];
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
