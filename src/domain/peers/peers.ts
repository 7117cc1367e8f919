import { compare } from '../compare.ts';
import type { Cik } from '../ids.ts';
import { type Changed, changedSince, type Seen, seenOf } from './changed.ts';
import { corporateActions } from './corporate-actions.ts';
import { comparableManagers, type FiledQuarter, type FiledQuarters, samePositions } from './filed-quarter.ts';
import { movedBetween } from './moved-between.ts';
import { scaleLedger } from './scale-ledger.ts';
import { CARRIED_SHARE, MIN_SUCCESSION_POSITIONS, SUCCESSION_OVERLAP } from './thresholds.ts';
import type { PeerVerdicts, ReportVerdict } from './verdict.ts';

/** The numbers of a manager's securities, ascending, and the shares of each. */
type HeldPositions = {
  readonly cik: Cik;
  readonly securities: readonly number[];
  readonly shares: readonly number[];
};

export type PeersResult = {
  readonly peers: PeerVerdicts;
  /** Of reports of the quarter itself, by manager, in the order of the CIKs; empty ones are left out. */
  readonly verdicts: ReadonlyMap<Cik, ReportVerdict>;
};

/**
 * What the filers of a quarter imply together, from their reports of three quarters as filed. The same reports
 * in any order give the same answer.
 */
export function peersOf(quarters: FiledQuarters): PeersResult {
  return rememberingPeers()(quarters);
}

/**
 * Answers as {@link peersOf} does for the same three quarters time and again, and computes only what the reports
 * that changed since the last time can have changed. Computes all where it saw other columns.
 */
export function rememberingPeers(): (quarters: FiledQuarters) => PeersResult {
  let [memory, seen] = [emptyMemory(), null as Seen | null];
  let market: FiledQuarters['market'] | null = null;
  return (quarters) => {
    const changed = changedSince(quarters, quarters.market === market ? seen : null);
    // Seen again at the end: after an error half-way, the next call computes all.
    [seen, market] = [null, quarters.market];
    if (changed.isWhole) memory = emptyMemory();
    const actions = memory.actions(quarters, changed);
    const scales = memory.scales(quarters, changed);
    const predecessors = memory.predecessors(quarters, changed);
    const result = {
      peers: { quarterEnd: quarters.quarterEnd, corporateActions: actions },
      verdicts: verdictsOf(quarters, { scales, predecessors }),
    };
    seen = seenOf(quarters);
    return result;
  };
}

function emptyMemory() {
  return { actions: corporateActions(), scales: scaleLedger(), predecessors: takenOver() };
}

type Judged = {
  readonly scales: ReturnType<ReturnType<typeof scaleLedger>>;
  readonly predecessors: ReadonlyMap<Cik, Cik>;
};

function verdictsOf(quarters: FiledQuarters, { scales, predecessors }: Judged): Map<Cik, ReportVerdict> {
  const { reports } = quarters.current;
  const twins = samePositions(reports.values());
  const moved = movedBetween(quarters);
  const verdicts = [...reports.keys()]
    .sort(compare)
    .map((cik): [Cik, ReportVerdict] => [
      cik,
      {
        scales: scales.scalesOf(cik),
        outliers: scales.outliersOf(cik),
        identicalTo: twins.get(cik) ?? null,
        predecessor: predecessors.get(cik) ?? null,
        moved: moved.get(cik) ?? [],
      },
    ])
    .filter(([, verdict]) => isFinding(verdict));
  return new Map(verdicts);
}

function isFinding({ scales, outliers, identicalTo, predecessor, moved }: ReportVerdict): boolean {
  return scales.length + outliers.length + moved.length > 0 || identicalTo !== null || predecessor !== null;
}

/**
 * Compares the last filed positions of managers that no longer report holdings with the first ones of
 * new managers. Returns the predecessor of each new manager that took one over (rule 4.10). Compares again only
 * when one of these managers changed, because most reports are of others.
 */
function takenOver() {
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
