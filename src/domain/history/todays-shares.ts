import { restatedAmount } from '../change/restate.ts';
import type { SecurityCusip } from '../holders/former-cusips.ts';
import type { Cik, Cusip } from '../ids.ts';
import { ONE_FOR_ONE } from '../report/report.ts';

/** A manager's shares in one quarter and in the quarter before, both in today's shares. */
export type TodaysShares = { readonly now: bigint; readonly before: bigint };

type HeldPosition = {
  readonly cik: Cik;
  readonly cusip: Cusip;
  readonly amount: bigint;
  readonly priorAmount: bigint;
};

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
