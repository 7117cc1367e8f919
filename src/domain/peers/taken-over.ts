import type { Cik } from '../ids.ts';
import type { FiledPosition, FiledReport, FiledReports, FiledSecurity } from './filed-security.ts';

/** How much of two books must be one book for the one to have taken over the other (rule 4.10). */
export const SUCCESSION_OVERLAP = 0.9;
/** Smaller books are alike by chance. */
export const MIN_SUCCESSION_POSITIONS = 5;
/** A book that goes on under another CIK is traded as ever: a share count within this part is the same. */
export const CARRIED_SHARE = 0.5;

/**
 * Collects the last books of managers that no longer report holdings and the first ones of managers
 * that are new, to find those that took one over.
 */
export type TakenOver = {
  readonly add: (security: FiledSecurity) => void;
  /** The predecessor of each new manager that has one. */
  readonly find: () => ReadonlyMap<Cik, Cik>;
};

/** The places of a manager's securities among all, ascending, and the shares of each. */
type HeldPositions = { readonly cik: Cik; readonly places: number[]; readonly shares: number[] };

export function takenOver({ prior, current, earlierFilers }: FiledReports): TakenOver {
  const holders = (reports: readonly FiledReport[]): Cik[] =>
    reports.filter(({ isComparable }) => isComparable).map(({ cik }) => cik);
  const known = new Set([...earlierFilers, ...prior.map(({ cik }) => cik)]);
  const still = new Set(holders(current));
  const vanished = emptyPositions(holders(prior).filter((cik) => !still.has(cik)));
  const fresh = emptyPositions([...still].filter((cik) => !known.has(cik)));
  let place = 0;
  return {
    add: (security) => {
      place += 1;
      enter(vanished, security.prior, place);
      enter(fresh, security.current, place);
    },
    find: () => matchPositions(comparablePositions(vanished), comparablePositions(fresh)),
  };
}

function emptyPositions(ciks: readonly Cik[]): Map<Cik, HeldPositions> {
  return new Map(ciks.map((cik) => [cik, { cik, places: [], shares: [] }]));
}

function enter(
  books: ReadonlyMap<Cik, HeldPositions>,
  positions: readonly FiledPosition[],
  place: number,
): void {
  if (books.size === 0) return;
  for (const { cik, amount } of positions) {
    const book = books.get(cik);
    book?.places.push(place);
    book?.shares.push(Number(amount));
  }
}

/** In the order of the CIKs. */
function comparablePositions(books: ReadonlyMap<Cik, HeldPositions>): HeldPositions[] {
  return [...books.values()]
    .filter(({ places }) => places.length >= MIN_SUCCESSION_POSITIONS)
    .sort((a, b) => (a.cik < b.cik ? -1 : 1));
}

/** The best match; the lowest CIK of equal ones. */
function matchPositions(vanished: readonly HeldPositions[], fresh: readonly HeldPositions[]): Map<Cik, Cik> {
  const found = new Map<Cik, Cik>();
  for (const after of fresh) {
    let best = { overlap: 0, cik: null as Cik | null };
    for (const before of vanished) {
      const overlap = overlapOf(before, after);
      if (overlap > best.overlap) best = { overlap, cik: before.cik };
    }
    if (best.cik !== null) found.set(after.cik, best.cik);
  }
  return found;
}

/**
 * Part of the larger book that stands in the other one too, with about the same shares; 0 when it
 * is less than the threshold. Books that differ are left as soon as that is certain.
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
