import { compare } from '../compare.ts';
import type { Cik, Cusip } from '../ids.ts';
import { valueScaleCents } from '../report/scale.ts';
import { cusipChanges } from './cusip-change.ts';
import {
  comparableManagers,
  type FiledReport,
  type FiledReports,
  type FiledSecurity,
} from './filed-security.ts';
import { movesOf } from './holder-move.ts';
import { massEntries, massExitFrom } from './mass-move.ts';
import { type FiledScales, medianPrice, quotesOf } from './price.ts';
import { samePositions } from './same-positions.ts';
import { scaleLedger } from './scale-ledger.ts';
import { type PricesAtEnds, splitVerdict } from './split-vote.ts';
import { takenOver } from './taken-over.ts';
import type { CorporateAction, CusipChange, MassExit, PeerVerdicts, ReportVerdict } from './verdict.ts';

export type PeersResult = {
  readonly peers: PeerVerdicts;
  /** Of reports of the quarter itself, by manager, in the order of the CIKs; empty ones are left out. */
  readonly verdicts: ReadonlyMap<Cik, ReportVerdict>;
};

/**
 * Collects what the filers of the quarter `reports.quarterEnd` imply together, one security at a time, so
 * that a quarter of two million positions is never in memory at once. What is kept is three numbers for
 * each position of the quarter, and the holders of the few securities that most of them left or entered.
 */
export function peersBuilder(reports: FiledReports) {
  const { quarterEnd, prior, current, next } = reports;
  const filedScales = filedScalesOf([...prior, ...current, ...next]);
  const ledger = scaleLedger(current, filedScales);
  const actions = corporateActions(reports);
  const positions = samePositions();
  const successors = takenOver(reports);
  return {
    /** Once for each CUSIP held at any of the quarter ends, in any order. */
    add: (security: FiledSecurity): void => {
      const quotes = {
        prior: quotesOf(security.prior, filedScales),
        current: quotesOf(security.current, filedScales),
        next: () => quotesOf(security.next, filedScales),
      };
      ledger.add(security, quotes);
      actions.add(security, { before: medianPrice(quotes.prior), after: medianPrice(quotes.current) });
      positions.add(security);
      successors.add(security);
    },
    /** After the last security. The same positions in any order give the same answer. */
    finish: (): PeersResult => {
      const scales = ledger.judge();
      const [twins, predecessors] = [positions.find(), successors.find()];
      const verdicts = current
        .toSorted((a, b) => compare(a.cik, b.cik))
        .map((report): [Cik, ReportVerdict] => [
          report.cik,
          {
            scales: scales.scalesOf(report),
            outliers: scales.outliersOf(report),
            identicalTo: twins.get(report.cik) ?? null,
            predecessor: predecessors.get(report.cik) ?? null,
          },
        ])
        .filter(([, verdict]) => isFinding(verdict));
      return { peers: { quarterEnd, corporateActions: actions.find() }, verdicts: new Map(verdicts) };
    },
  };
}

function isFinding({ scales, outliers, identicalTo, predecessor }: ReportVerdict): boolean {
  return scales.length + outliers.length > 0 || identicalTo !== null || predecessor !== null;
}

/** Collects splits, CUSIP changes, mass exits and mass entries since the quarter before. */
function corporateActions({ prior, current }: FiledReports) {
  const before = new Set(comparableManagers(prior));
  const bothReported = new Set(comparableManagers(current).filter((cik) => before.has(cik)));
  const found: CorporateAction[] = [];
  const changes = cusipChanges();
  const entries = massEntries(bothReported.size);
  return {
    add: (security: FiledSecurity, prices: PricesAtEnds): void => {
      const { cusip } = security;
      const moves = movesOf(security, bothReported);
      const action = massExitFrom(cusip, moves) ?? splitVerdict(cusip, moves.throughout, prices);
      if (action !== null) found.push(action);
      changes.add(cusip, moves);
      entries.add(cusip, moves);
    },
    find: (): CorporateAction[] => {
      const moved = changes.find();
      const left = new Set<Cusip>(moved.flatMap((one) => (one.kind === 'mass_entry' ? [] : [leftIn(one)])));
      const entered = new Set<Cusip>(moved.flatMap((one) => (one.kind === 'mass_exit' ? [] : [one.cusip])));
      return [
        ...moved,
        ...found.filter(({ cusip }) => !left.has(cusip)),
        ...entries.find().filter(({ cusip }) => !entered.has(cusip)),
      ].sort((a, b) => compare(a.cusip, b.cusip) || compare(a.kind, b.kind));
    },
  };
}

function leftIn(action: CusipChange | MassExit): Cusip {
  return action.kind === 'cusip_change' ? action.from : action.cusip;
}

function filedScalesOf(reports: readonly FiledReport[]): FiledScales {
  const filings = reports.flatMap((report) => report.filings);
  return new Map(filings.map(({ accession, filedDate }) => [accession, valueScaleCents(filedDate)]));
}
