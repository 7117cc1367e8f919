import { compare } from '../compare.ts';
import { groupBy } from '../group.ts';
import type { Cik } from '../ids.ts';
import { filersByName } from '../report/other-manager.ts';
import type { MovedPositions } from '../report/report.ts';
import { corporateActions } from './corporate-actions.ts';
import {
  changedSince,
  type FiledQuarter,
  type FiledQuarters,
  type KeptReport,
  type Seen,
  seenOf,
  sharesOf,
} from './filed-quarter.ts';
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

/** That the report of one manager holds the positions of the other. */
type Link = { readonly of: Cik; readonly by: Cik };

/** Two quarters, in the direction in which positions went from one report into another. */
type Move = { readonly from: FiledQuarter; readonly to: FiledQuarter };

/**
 * Securities that went from the report of one manager into that of another which reports for it now, as when a
 * parent takes in the report of a subsidiary, or came out of it (rule 4.11). By both managers. A manager that the cover of
 * a report named, or names now, is there without securities when its table has none that moved (rule 2.12).
 */
export function movedBetween({ prior, current, names }: FiledQuarters): Map<Cik, MovedPositions[]> {
  const cikOf = filersByName(prior.filers, current.filers);
  const linksOf = ({ reports }: FiledQuarter): Map<string, Link> => {
    const named = [...reports.values()].flatMap(({ cik, named: { includes, reportedBy } }) => [
      ...includes.map((other) => ({ of: cikOf(other), by: cik })),
      ...reportedBy.map((other) => ({ of: cik, by: cikOf(other) })),
    ]);
    return new Map(named.filter(isLink).map((link) => [`${link.of} ${link.by}`, link]));
  };
  const [before, now] = [linksOf(prior), linksOf(current)];
  const moves = (move: Move, links: typeof now, earlier: typeof now) =>
    [...links].flatMap(([key, { of, by }]) => {
      const isNew = !earlier.has(key) || !move.to.reports.get(of)?.isComparable;
      if (!isNew || !move.from.reports.get(of)?.isComparable) return [];
      const cusips = securitiesMoved(move, { of, by }).map(names.securities.textOf).sort();
      return [
        ...(cusips.length > 0 ? [{ into: by, cik: of, cusips }] : []),
        ...(cusips.length > 0 || isKnown(move.to, { of, by }) ? [{ into: of, cik: by, cusips }] : []),
      ];
    });
  const found = [
    ...moves({ from: prior, to: current }, now, before),
    ...moves({ from: current, to: prior }, before, now),
  ].map(({ into, cik, cusips }) => {
    const { name = '' } = (current.reports.get(cik) ?? prior.reports.get(cik))?.named ?? {};
    return { into, moved: { cik, name, cusips } };
  });
  // Two of one manager went both ways: their order must not depend on that of the reports.
  found.sort(
    ({ moved: a }, { moved: b }) => compare(a.cik, b.cik) || compare(a.cusips.join(), b.cusips.join()),
  );
  const byManager = groupBy(found, ({ into }) => into);
  return new Map([...byManager].map(([cik, own]) => [cik, own.map(({ moved }) => moved)]));
}

function isLink(link: { readonly of: Cik | null; readonly by: Cik | null }): link is Link {
  return link.of !== null && link.by !== null && link.of !== link.by;
}

/** Whether the one report names the other one as reporting for it, and that one's table is stored. */
function isKnown({ reports }: FiledQuarter, { of, by }: Link): boolean {
  const names = reports.get(of)?.named.reportedBy.length ?? 0;
  return names > 0 && reports.get(by)?.isComparable === true;
}

/**
 * Those of which the one report lists less than at the other end, and the other one, which lists them, more. Where
 * the one is no table any more, all that it had moved, whatever the other one traded beside.
 */
function securitiesMoved({ from, to }: Move, { of, by }: Link): number[] {
  const listed = ({ reports }: FiledQuarter, cik: Cik) => reports.get(cik)?.manager ?? -1;
  const [gone, left] = [from, to].map((quarter) => sharesOf(quarter, listed(quarter, of)));
  const [had, has] = [from, to].map((quarter) => sharesOf(quarter, listed(quarter, by)));
  const isWhole = !to.reports.get(of)?.isComparable;
  return [...(gone ?? [])].flatMap(([security, shares]) => {
    const [then, taken] = [had?.get(security) ?? 0, has?.get(security) ?? 0];
    const isTaken = isWhole ? taken > 0 && taken !== then : taken > then;
    return isTaken && (left?.get(security) ?? 0) < shares ? [security] : [];
  });
}
