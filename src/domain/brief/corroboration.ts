import type { Trade } from '../insider/trade.ts';
import type { Brief, Corroboration, Insiders, Institutional } from '../wire/brief.ts';
import type { Legs } from './facts.ts';
import { stanceOver } from './insider-leg.ts';

type Sign = 'up' | 'down' | 'mixed' | 'none';

const INSTITUTIONAL: Record<Institutional['stance'], Sign> = {
  net_increases: 'up',
  net_decreases: 'down',
  mixed: 'mixed',
  unchanged: 'none',
  none_found: 'none',
  not_determined: 'none',
};
export const INSIDER_SIGNS: Readonly<Record<Insiders['stance'], Sign>> = {
  net_buying: 'up',
  net_selling: 'down',
  mixed: 'mixed',
  none_found: 'none',
  not_available: 'none',
};

/** Whether Form 4 activity supports the institutional direction (rule 8.5). */
export function corroborate(
  institutional: Institutional['stance'],
  insiders: Insiders['stance'],
): Corroboration {
  const [a, b] = [INSTITUTIONAL[institutional], INSIDER_SIGNS[insiders]];
  if (a === 'none' || b === 'none') return 'not_comparable';
  if (a === 'mixed' || b === 'mixed') return 'mixed';
  return a === b ? 'supports' : 'contradicts';
}

/** The comparison of the two legs, over trades that are not the leg's own. */
export type Comparison = {
  readonly corroboration: Corroboration;
  /** Of the trades compared. */
  readonly insidersStance: Insiders['stance'];
  readonly detail: Brief['corroboration_detail'];
};

/** A manager does not corroborate itself: its own trades are left out of the comparison (rule 8.5). */
export function comparisonOf(legs: Legs): Comparison {
  const { holders, insiders } = legs;
  const own = ownTrades(legs);
  const left = new Set(own.trades);
  const others = insiders.trades.filter((trade) => !left.has(trade));
  const insidersStance = stanceOver(others, insiders.without);
  return {
    corroboration: corroborate(holders.leg.stance, insidersStance),
    insidersStance,
    detail: { independent: others.length > 0, shared_ciks: own.ciks },
  };
}

/** Trades by reporting owners that are managers of the 13F leg, and those owners. */
export function ownTrades({ holders, insiders }: Legs): OwnTrades {
  const managers = new Set(insiders.trades.length === 0 ? [] : holders.managers);
  const sharedBy = ({ owners }: Trade): string[] =>
    owners.map(({ cik }) => cik).filter((cik) => managers.has(cik));
  return {
    trades: insiders.trades.filter((trade) => sharedBy(trade).length > 0),
    ciks: [...new Set(insiders.trades.flatMap(sharedBy))].sort(),
  };
}

type OwnTrades = { readonly trades: readonly Trade[]; readonly ciks: string[] };
