import type { Db } from 'mongodb';
import type { ManagerObservation } from '../../domain/holders/observation.ts';
import type { Cusip, QuarterEnd } from '../../domain/ids.ts';
import type { CorporateAction, SuspectedCusipChange } from '../../domain/peers/verdict.ts';
import { mergeReasons } from '../../domain/quality/quality.ts';
import { holdersAmong, type Shown } from './among.ts';
import type { SecurityHistory } from './security-history.ts';
import { shownIn } from './shown.ts';

type InQuarter = {
  readonly history: SecurityHistory;
  readonly quarterEnd: QuarterEnd;
  /** The rows of these CUSIPs in the quarter; left out: those of all managers. */
  readonly read?: (cusips: readonly Cusip[]) => Promise<Shown[]>;
};

/**
 * The holders of a quarter with exits under the CUSIP that the symbol had before, where nothing proves that it is
 * the same security, or its factor (rule 4.8): in doubt, but not missing.
 */
export async function withDoubtedExits(
  db: Db,
  holders: readonly ManagerObservation[],
  { history, quarterEnd, read = (cusips) => shownIn(db, cusips, quarterEnd) }: InQuarter,
): Promise<ManagerObservation[]> {
  const known = new Set(holders.map(({ cik }) => cik));
  const exits = doubtedChanges(history, quarterEnd).map(async (action) => {
    const { from } = action;
    const left = (await read([from])).filter(
      ({ position }) => position.amount === 0n && !known.has(position.cik),
    );
    const counting = { history: { cusip: from, cusips: [from], quarters: [] }, counted: quarterEnd };
    return (await holdersAmong(db, left, counting)).map((one) => ({
      ...one,
      corporateActions: [action],
      reasons: mergeReasons(one.reasons, ['cusip_change_suspected']),
    }));
  });
  return [...holders, ...(await Promise.all(exits)).flat()];
}

/** Changes of the quarter that a symbol shows and nothing proves. */
export function doubtedChanges(
  { quarters }: SecurityHistory,
  quarterEnd: QuarterEnd,
): SuspectedCusipChange[] {
  const own = quarters.find((quarter) => quarter.quarterEnd === quarterEnd)?.corporateActions ?? [];
  return own.filter(isDoubtedSymbol);
}

function isDoubtedSymbol(action: CorporateAction): action is SuspectedCusipChange {
  return action.kind === 'cusip_change_suspected' && action.prices !== undefined;
}
