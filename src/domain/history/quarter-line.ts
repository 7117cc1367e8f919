import { restatedAmount } from '../change/restate.ts';
import type { SecurityCusip } from '../holders/former-cusips.ts';
import { holderList } from '../holders/holders.ts';
import { institutionalLeg } from '../holders/institutional.ts';
import type { JudgedObservation, ManagerObservation } from '../holders/observation.ts';
import type { Cik, Cusip, QuarterEnd } from '../ids.ts';
import { ONE_FOR_ONE, type SplitFactor } from '../report/report.ts';
import type { Institutional } from '../wire/brief.ts';
import { lineLimitations } from './limitations.ts';

/** A manager's shares in one quarter and in the quarter before, both in today's shares. */
type TodaysShares = { readonly now: bigint; readonly before: bigint };

type HeldPosition = {
  readonly cik: Cik;
  readonly cusip: Cusip;
  readonly amount: bigint;
  readonly priorAmount: bigint;
};

/** What managers held of a security at the end of a quarter, and what they changed in it (rule 7.7). */
export type QuarterLine = {
  readonly quarter_end: QuarterEnd;
  readonly holders: number;
  readonly shares: string;
  readonly value_cents: string;
  readonly counts: Institutional['counts'];
  readonly net_share_delta: string;
  readonly stance: Institutional['stance'];
  readonly limitations: readonly string[];
};

type InQuarter = {
  readonly quarterEnd: QuarterEnd;
  /** Judged in the shares of the quarter. */
  readonly holders: readonly ManagerObservation[];
  readonly shares: ReadonlyMap<Cik, TodaysShares>;
  /** Today's shares for each share of the quarter, for each CUSIP that was held. */
  readonly factors: readonly SplitFactor[];
};

/**
 * One line of a position history. Everything is judged and counted in the shares of the quarter, exactly
 * as in the list of its holders; only sums of shares are in today's shares.
 */
export function quarterLine({ quarterEnd, holders, shares, factors }: InQuarter): QuarterLine {
  const { rows, totals, counts } = holderList(holders, quarterEnd);
  const leg = institutionalLeg(holders);
  const { stale: _none, ...actions } = counts;
  const sharesOf = ({ observation }: JudgedObservation): TodaysShares =>
    shares.get(observation.cik) ?? { now: 0n, before: 0n };
  const summed = rows.filter(
    ({ quality, observation }) =>
      observation.currentShares > 0n &&
      quality.status !== 'excluded' &&
      !quality.reasons.includes('shares_equal_value'),
  );
  const moved = leg.changes.filter(({ quality }) => quality.status === 'clear');
  const sum = (amounts: readonly bigint[]): string => String(amounts.reduce((all, one) => all + one, 0n));
  return {
    quarter_end: quarterEnd,
    holders: totals.holders,
    shares: sum(summed.map((row) => sharesOf(row).now)),
    value_cents: String(totals.valueCents),
    counts: actions,
    net_share_delta: sum(moved.map((row) => sharesOf(row).now - sharesOf(row).before)),
    stance: leg.stance,
    limitations: lineLimitations(leg, factors),
  };
}

/** The shares of each manager, whatever CUSIPs it holds them under. */
export function todaysShares(
  positions: readonly HeldPosition[],
  names: readonly SecurityCusip[],
): Map<Cik, TodaysShares> {
  const factors = new Map(names.map(({ cusip, factor }) => [cusip, factor]));
  const shares = new Map<Cik, TodaysShares>();
  for (const { cik, cusip, amount, priorAmount } of positions) {
    const factor = factors.get(cusip) ?? ONE_FOR_ONE;
    const { now, before } = shares.get(cik) ?? { now: 0n, before: 0n };
    shares.set(cik, {
      now: now + restatedAmount(amount, factor, null),
      before: before + restatedAmount(priorAmount, factor, null),
    });
  }
  return shares;
}
