import type { Cik, Cusip } from '../ids.ts';
import { valueScaleCents } from '../report/scale.ts';
import { type Arrival, arrivalAt, cusipChanges, type Departure, departureFrom } from './cusip-change.ts';
import { unlinkedMoves } from './cusip-change-unlinked.ts';
import type { FiledReport, FiledReports, FiledSecurity } from './filed-security.ts';
import { movesOf } from './holder-move.ts';
import { massEntries } from './mass-entry.ts';
import { massExitFrom } from './mass-exit.ts';
import { type FiledScales, medianPrice, quotesOf } from './price.ts';
import { samePositions } from './same-positions.ts';
import { scaleLedger } from './scale-ledger.ts';
import { commonRatio } from './split-unlisted.ts';
import { unvotedSplit } from './split-unvoted.ts';
import { splitVerdict } from './split-vote.ts';
import { takenOver } from './taken-over.ts';
import type { CorporateAction, PeerVerdicts, ReportVerdict } from './verdict.ts';

/**
 * Collects what the filers of a quarter say together, one security at a time, so that a quarter of
 * two million positions never stands in memory: what is kept is three numbers for each position
 * of the quarter and the holders of the few securities that most of them left or entered.
 */
export type PeersBuilder = {
  /** Once for each CUSIP held at any of the quarter ends, in any order. */
  readonly add: (security: FiledSecurity) => void;
  /** After the last security. The same positions in any order give the same answer. */
  readonly finish: () => PeersResult;
};

export type PeersResult = {
  readonly peers: PeerVerdicts;
  /** Of reports of the quarter itself, by manager, in the order of the CIKs; empty ones are left out. */
  readonly verdicts: ReadonlyMap<Cik, ReportVerdict>;
};

/** For the quarter `reports.quarterEnd` and what happened since the one before. */
export function peersBuilder(reports: FiledReports): PeersBuilder {
  const { quarterEnd, prior, current, next } = reports;
  const units = filedScalesOf([...prior, ...current, ...next]);
  const ledger = scaleLedger(current, units);
  const collector = corporateActionCollector(reports);
  const books = samePositions();
  const successors = takenOver(reports);
  return {
    add: (security) => {
      const quotes = {
        prior: quotesOf(security.prior, units),
        current: quotesOf(security.current, units),
        next: once(() => quotesOf(security.next, units)),
      };
      ledger.add(security, quotes);
      collector.add(security, { before: medianPrice(quotes.prior), after: medianPrice(quotes.current) });
      books.add(security);
      successors.add(security);
    },
    finish: () => {
      const units = ledger.judge();
      const twins = books.find();
      const predecessors = successors.find();
      const verdicts = current
        .toSorted((a, b) => (a.cik < b.cik ? -1 : 1))
        .map((report): [Cik, ReportVerdict] => [
          report.cik,
          {
            scales: units.scalesOf(report),
            outliers: units.outliersOf(report),
            identicalTo: twins.get(report.cik) ?? null,
            predecessor: predecessors.get(report.cik) ?? null,
          },
        ])
        .filter(([, verdict]) => !isEmpty(verdict));
      return { peers: { quarterEnd, corporateActions: collector.list() }, verdicts: new Map(verdicts) };
    },
  };
}

/** Computed when it is first asked for. */
function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | null = null;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

type CorporateActionCollector = {
  readonly add: (security: FiledSecurity, prices: Parameters<typeof splitVerdict>[2]) => void;
  readonly list: () => CorporateAction[];
};

function corporateActionCollector({ prior, current }: FiledReports): CorporateActionCollector {
  const before = comparableOf(prior);
  const bothReported = new Set([...comparableOf(current)].filter((cik) => before.has(cik)));
  const found: CorporateAction[] = [];
  const departures: Departure[] = [];
  const arrivals: Arrival[] = [];
  const appearing = massEntries(bothReported.size);
  return {
    add: (security, prices) => {
      const { cusip } = security;
      const moves = movesOf(security, bothReported);
      const action = massExitFrom(cusip, moves) ?? splitAction(cusip, moves.throughout, prices);
      if (action !== null) found.push(action);
      appearing.add(cusip, moves);
      const departure = departureFrom(cusip, moves);
      if (departure !== null) departures.push(departure);
      const arrival = arrivalAt(cusip, moves);
      if (arrival !== null) arrivals.push(arrival);
    },
    list: () => {
      const changes = cusipChanges(departures, arrivals);
      const { massExits, massEntries } = unlinkedMoves(departures, arrivals, changes);
      const told = new Set<Cusip>([...changes.map(({ from }) => from), ...massExits.map(cusipOf)]);
      const others = found.filter(({ cusip }) => !told.has(cusip));
      const entered = new Set<Cusip>([...changes, ...massEntries].map(cusipOf));
      const given = appearing.find().filter(({ cusip }) => !entered.has(cusip));
      return [...changes, ...massExits, ...others, ...massEntries, ...given].sort(compareCorporateActions);
    },
  };
}

function cusipOf({ cusip }: CorporateAction): Cusip {
  return cusip;
}

/** A ratio that most moved by is told before a split that only some refute. */
function splitAction(
  ...[cusip, throughout, prices]: Parameters<typeof splitVerdict>
): CorporateAction | null {
  const verdict = splitVerdict(cusip, throughout, prices);
  if (verdict?.kind === 'split') return verdict;
  const shared = commonRatio(cusip, throughout) ?? unvotedSplit(cusip, throughout, prices);
  return shared ?? verdict;
}

function filedScalesOf(reports: readonly FiledReport[]): FiledScales {
  const filings = reports.flatMap((report) => report.filings);
  return new Map(filings.map(({ accession, filedDate }) => [accession, valueScaleCents(filedDate)]));
}

function comparableOf(reports: readonly FiledReport[]): ReadonlySet<Cik> {
  return new Set(reports.filter(({ isComparable }) => isComparable).map(({ cik }) => cik));
}

function isEmpty({ scales, outliers, identicalTo, predecessor }: ReportVerdict): boolean {
  return scales.length + outliers.length === 0 && identicalTo === null && predecessor === null;
}

function compareCorporateActions(a: CorporateAction, b: CorporateAction): number {
  if (a.cusip !== b.cusip) return a.cusip < b.cusip ? -1 : 1;
  return a.kind < b.kind ? -1 : 1;
}
