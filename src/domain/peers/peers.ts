import { compare } from '../compare.ts';
import { groupBy } from '../group.ts';
import type { Cik } from '../ids.ts';
import { corporateActions } from './corporate-actions.ts';
import { changedSince, type FiledQuarters, type KeptReport, type Seen, seenOf } from './filed-quarter.ts';
import { movedBetween } from './moved-between.ts';
import { type JudgedScales, scaleLedger } from './scale-ledger.ts';
import type { PeerVerdicts, ReportVerdict } from './verdict.ts';

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
 * that changed since the last time can have changed. Computes all where it saw other columns or daily prices.
 */
export function rememberingPeers(): (quarters: FiledQuarters) => PeersResult {
  let [memory, seen] = [emptyMemory(), null as Seen | null];
  return (quarters) => {
    const changed = changedSince(quarters, seen);
    // Seen again at the end: after an error half-way, the next call computes all.
    seen = null;
    if (changed.isWhole) memory = emptyMemory();
    const actions = memory.actions(quarters, changed);
    const scales = memory.scales(quarters, changed);
    const result = {
      peers: { quarterEnd: quarters.quarterEnd, corporateActions: actions },
      verdicts: verdictsOf(quarters, scales),
    };
    seen = seenOf(quarters);
    return result;
  };
}

function emptyMemory() {
  return { actions: corporateActions(), scales: scaleLedger() };
}

function verdictsOf(quarters: FiledQuarters, scales: JudgedScales): Map<Cik, ReportVerdict> {
  const { reports } = quarters.current;
  const twins = twinsAmong([...reports.values()]);
  const moved = movedBetween(quarters);
  const verdicts = [...reports.keys()]
    .sort(compare)
    .map((cik): [Cik, ReportVerdict] => [
      cik,
      {
        scales: scales.scalesOf(cik),
        outliers: scales.outliersOf(cik),
        identicalTo: twins.get(cik) ?? null,
        moved: moved.get(cik) ?? [],
      },
    ])
    .filter(([, verdict]) => isFinding(verdict));
  return new Map(verdicts);
}

function isFinding({ scales, outliers, identicalTo, moved }: ReportVerdict): boolean {
  return scales.length + outliers.length + moved.length > 0 || identicalTo !== null;
}

/** For each manager that filed the same positions as others, the lowest CIK of those others (rule 4.10). */
function twinsAmong(reports: readonly KeptReport[]): Map<Cik, Cik> {
  const twins = new Map<Cik, Cik>();
  for (const alike of groupBy(reports, ({ digest }) => digest).values()) {
    const managers = alike.map(({ cik }) => cik).sort();
    const [lowest, second] = managers;
    if (lowest === undefined || second === undefined) continue;
    for (const cik of managers) twins.set(cik, cik === lowest ? second : lowest);
  }
  return twins;
}
