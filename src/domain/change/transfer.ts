import type { Cusip } from '../ids.ts';
import { sameManager } from '../report/other-manager.ts';
import { type EffectiveReport, isEquity, ONE_FOR_ONE } from '../report/report.ts';
import type { PriorPosition } from './restate.ts';

/** What went between the manager's report and those of others (rule 2.12). */
export type Transfer = {
  /** Whether unknown positions came from, or went into, another manager's report. */
  readonly takesIn: boolean;
  readonly givesOut: boolean;
  /** Shares that came from another manager's report, where the cover lists them; then no others did. */
  readonly takenIn: ReadonlyMap<Cusip, bigint>;
};

export const NO_TRANSFER: Transfer = { takesIn: false, givesOut: false, takenIn: new Map() };

export function transferBetween(prior: EffectiveReport, current: EffectiveReport): Transfer {
  const takenIn = statedIn(prior, current);
  return {
    takesIn: takenIn.size === 0 && isTransfer(prior, current, current.moved),
    givesOut: isTransfer(current, prior, current.moved),
    takenIn,
  };
}

/** Those of the list whose manager is the only one that the cover no longer names. */
function statedIn(prior: EffectiveReport, { takenIn, reportedBy }: EffectiveReport): Transfer['takenIn'] {
  const [gone, ...others] = goneFrom(prior.reportedBy, reportedBy);
  const isOf = gone !== undefined && others.length === 0 && takenIn && sameManager(gone, takenIn.from);
  return isOf ? new Map(takenIn.positions.map(({ cusip, amount }) => [cusip, amount])) : NO_TRANSFER.takenIn;
}

/** Adds what came from the other report to what the manager held before; what it did not hold stays a start. */
export function withTakenIn(
  prior: readonly PriorPosition[],
  { takenIn }: Transfer,
): readonly PriorPosition[] {
  if (takenIn.size === 0) return prior;
  return prior.map((position) => {
    const taken = isEquity(position) ? takenIn.get(position.cusip) : undefined;
    if (taken === undefined) return position;
    const { restated = { factor: ONE_FOR_ONE, fromCusip: null, filedPriorAmount: position.amount } } =
      position;
    return { ...position, amount: position.amount + taken, restated };
  });
}

/**
 * Whether positions that another manager reported beside the one report are in the other one, or may be. Of a
 * manager whose own reports are stored, it is known which ones: `moved` names it.
 */
function isTransfer(from: EffectiveReport, to: EffectiveReport, moved: EffectiveReport['moved']): boolean {
  const types = [from.reportType, to.reportType];
  if (!types.includes('combination')) return false;
  const gone = goneFrom(from.reportedBy, to.reportedBy);
  if (gone.length === 0) return from.reportType === 'combination' && to.reportType !== 'combination';
  return gone.some(
    (one) => !moved.some((other) => sameManager({ ...other, form13fFileNumber: null, sequence: null }, one)),
  );
}

function goneFrom(from: EffectiveReport['reportedBy'], to: EffectiveReport['reportedBy']) {
  return from.filter((one) => !to.some((other) => sameManager(one, other)));
}
