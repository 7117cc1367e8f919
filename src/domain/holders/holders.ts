import { compare } from '../compare.ts';
import type { QuarterEnd } from '../ids.ts';
import { isValued } from '../report/holding.ts';
import type { ChangeType } from '../report/report.ts';
import { institutionalLeg } from './institutional.ts';
import {
  type Action,
  hasKnownShares,
  type JudgedObservation,
  type ManagerObservation,
} from './observation.ts';

export type HolderRow = JudgedObservation & {
  /** In the words of `/funds/{cik}/holdings`, where a baseline is NEW. */
  readonly changeType: ChangeType;
  /** The manager has not reported the quarter yet. Its last report is carried forward. */
  readonly isStale: boolean;
};

export type HolderList = ReturnType<typeof holderList>;

/**
 * The holders of one security. They are judged and counted by the rules of the brief, so that both
 * answers agree. `counts.stale` says how many of those counted are carried forward.
 * @param quarterEnd the quarter of the list; null for an empty corpus
 */
export function holderList(holders: readonly ManagerObservation[], quarterEnd: QuarterEnd | null) {
  const leg = institutionalLeg(holders);
  const rows = leg.judged.map(
    (judged): HolderRow => ({
      ...judged,
      changeType: CHANGE_TYPES[judged.action],
      isStale: judged.observation.quarterEnd !== quarterEnd,
    }),
  );
  const counted = rows.filter(({ quality }) => quality.status !== 'excluded');
  return {
    /** Value descending, then exits by prior value, ties by CIK. */
    rows: rows.sort(compareHolders),
    /** Over all rows that hold shares, without the excluded ones. */
    totals: totalsOf(counted.filter(({ observation }) => observation.currentShares > 0n)),
    counts: { ...leg.counts, stale: counted.filter(({ isStale }) => isStale).length },
  };
}

const CHANGE_TYPES: Record<Action, ChangeType> = {
  initiated: 'NEW',
  baseline_only: 'NEW',
  added: 'ADDED',
  reduced: 'REDUCED',
  exited: 'EXITED',
  unchanged: 'HELD',
};

/** What is not of the security, or of a filing that is not believed, is in no sum, as in the AUM of `/funds` (rule 7.3). */
function totalsOf(held: readonly HolderRow[]) {
  const valued = held.filter(({ observation, quality }) => isValued(quality) && !observation.isDoubted);
  const counted = held.filter(hasKnownShares);
  return {
    holders: held.length,
    shares: counted.reduce((sum, { observation }) => sum + observation.currentShares, 0n),
    valueCents: valued.reduce((sum, { observation }) => sum + observation.currentValueCents, 0n),
  };
}

function compareHolders(a: HolderRow, b: HolderRow): number {
  const aExited = a.changeType === 'EXITED';
  if (aExited !== (b.changeType === 'EXITED')) return aExited ? 1 : -1;
  const value = aExited ? 'previousValueCents' : 'currentValueCents';
  return compare(b.observation[value], a.observation[value]) || compare(a.observation.cik, b.observation.cik);
}
