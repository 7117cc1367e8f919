import { compare } from '../compare.ts';
import type { Cik } from '../ids.ts';
import { continuedCompanies } from './continued.ts';
import { cusipChanges } from './cusip-change.ts';
import type { FiledQuarter, FiledQuarters } from './filed-quarter.ts';
import { holderMoves } from './holder-move.ts';
import { massExitFrom, spinOffs } from './mass-move.ts';
import { movedBetween } from './moved-between.ts';
import { medianPrice, quotesOf } from './price.ts';
import { samePositions } from './same-positions.ts';
import { scaleLedger } from './scale-ledger.ts';
import { numberOf } from './split.ts';
import { splitVerdict } from './split-vote.ts';
import { stockMergers } from './stock-merger.ts';
import { takenOver } from './taken-over.ts';
import type { CorporateAction, PeerVerdicts, ReportVerdict } from './verdict.ts';

export type PeersResult = {
  readonly peers: PeerVerdicts;
  /** Of reports of the quarter itself, by manager, in the order of the CIKs; empty ones are left out. */
  readonly verdicts: ReadonlyMap<Cik, ReportVerdict>;
};

/**
 * What the filers of a quarter imply together, from their reports of three quarters as filed. It is
 * computed anew over whole columns each time. The same reports in any order give the same answer.
 */
export function peersOf(quarters: FiledQuarters): PeersResult {
  const { quarterEnd, names } = quarters;
  const ledger = scaleLedger(quarters);
  const actions = corporateActions(quarters);
  for (let security = 0; security < names.securities.size(); security += 1) {
    ledger.add(security);
    actions.add(security);
  }
  return {
    peers: { quarterEnd, corporateActions: actions.find() },
    verdicts: verdictsOf(quarters, ledger.judge()),
  };
}

function verdictsOf(quarters: FiledQuarters, scales: ReturnType<ReturnType<typeof scaleLedger>['judge']>) {
  const { reports } = quarters.current;
  const [twins, predecessors] = [samePositions(reports.values()), takenOver(quarters)];
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

/** Collects splits, CUSIP changes, mass exits, spin-offs and stock mergers since the quarter before. */
function corporateActions(quarters: FiledQuarters) {
  const { prior, current, names } = quarters;
  const { managers, movesOf } = holderMoves(quarters);
  const found: CorporateAction[] = [];
  const changes = cusipChanges();
  const given = spinOffs(quarters, managers);
  const kept = new Set<number>();
  return {
    add: (security: number): void => {
      const cusip = names.securities.textOf(security);
      const moves = movesOf(security);
      const priceAt = (quarter: FiledQuarter) => medianPrice(quotesOf(quarter, security));
      const action =
        massExitFrom(cusip, moves) ??
        splitVerdict(cusip, moves.throughout, () => ({ before: priceAt(prior), after: priceAt(current) }));
      if (action !== null) found.push(action);
      if (moves.throughout.managers.length > 0) kept.add(security);
      changes.add(cusip, moves);
      given.add(security, moves);
    },
    find: (): CorporateAction[] => {
      const continued = continuedCompanies(quarters, (security) => kept.has(security));
      const actions = [changes.find(), continued, found, given.find()].reduce(joined, []);
      const mergersOf = stockMergers(quarters, splitsIn(actions, names));
      const mergers = actions.flatMap(({ kind, cusip }) => {
        if (kind !== 'mass_exit') return [];
        const security = names.securities.numberOf(cusip);
        return mergersOf({ security, left: movesOf(security).left.holders() });
      });
      return [...actions, ...mergers].sort(compareActions);
    },
  };
}

function splitsIn(actions: readonly CorporateAction[], names: FiledQuarters['names']): Map<number, number> {
  return new Map(
    actions.flatMap((action) =>
      action.kind === 'split' ? [[names.securities.numberOf(action.cusip), numberOf(action.factor)]] : [],
    ),
  );
}

function compareActions(a: CorporateAction, b: CorporateAction): number {
  return compare(a.cusip, b.cusip) || compare(a.kind, b.kind) || compare(fromOf(a), fromOf(b));
}

function fromOf(action: CorporateAction): string {
  return 'from' in action ? action.from : '';
}

/** Adds what concerns no CUSIP that is known to have been left, or entered, together with another one. */
function joined(known: readonly CorporateAction[], next: readonly CorporateAction[]): CorporateAction[] {
  const ends = new Set(known.flatMap(endsOf));
  return [...known, ...next.filter((action) => !endsOf(action).some((end) => ends.has(end)))];
}

/** A split has both ends of its CUSIP, a mass exit the earlier one, a CUSIP change one of each. */
function endsOf(action: CorporateAction): string[] {
  const [left, entered] = [`from ${action.cusip}`, `to ${action.cusip}`];
  switch (action.kind) {
    case 'cusip_change':
      return [`from ${action.from}`, entered];
    case 'mass_exit':
      return [left];
    case 'mass_entry':
      return [entered];
    case 'split':
    case 'refuted':
      return [left];
    case 'stock_merger':
      return [];
    default:
      return action satisfies never;
  }
}
