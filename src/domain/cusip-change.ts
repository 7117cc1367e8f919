import type { CusipChange } from './consensus.ts';
import { type HolderMove, type HolderMoves, isMovedBy } from './holder-move.ts';
import type { Cik, Cusip } from './ids.ts';
import type { SplitFactor } from './price-return.ts';
import { compareNames } from './security-name.ts';
import { SPLIT_RATIOS } from './split.ts';
import { SPLIT_VOTE_SHARE } from './split-vote.ts';

/** Part of the holders that leave the old CUSIP, and part of them that hold the new one (domain 2.9). */
export const CUSIP_CHANGE_PCT = 60;
/** Fewer holders that went over prove nothing. */
export const MIN_WENT_OVER = 3;

const ONE_FOR_ONE: SplitFactor = { numerator: 1n, denominator: 1n };
const FACTORS = [ONE_FOR_ONE, ...SPLIT_RATIOS];
const ISSUER_DIGITS = 6;

/** A security that most of its holders left, or one that most of its holders have just entered. */
export type Departure = {
  readonly cusip: Cusip;
  readonly left: readonly HolderMove[];
  readonly compared: number;
};
export type Arrival = { readonly cusip: Cusip; readonly entered: ReadonlyMap<Cik, HolderMove> };

/** Null unless enough of the holders left for the security to have changed its CUSIP. */
export function departureFrom(cusip: Cusip, { left, throughout }: HolderMoves): Departure | null {
  const compared = left.length + throughout.length;
  return isMost(left.length, compared) ? { cusip, left, compared } : null;
}

/** Null unless enough of the holders are new for the CUSIP to be new. */
export function arrivalAt(cusip: Cusip, { entered, throughout }: HolderMoves): Arrival | null {
  if (!isMost(entered.length, entered.length + throughout.length)) return null;
  return { cusip, entered: new Map(entered.map((move) => [move.cik, move])) };
}

/**
 * The CUSIPs that their holders carried over to another one: by 60 % of those that reported both
 * quarters, at one ratio as far as they did not trade besides. A new prefix, as after a change of
 * domicile, also takes names of one issuer. Each CUSIP is in one change at most, the one with the
 * most holders; ties fall to the ratio's votes, then to the CUSIPs in order.
 */
export function cusipChanges(departures: readonly Departure[], arrivals: readonly Arrival[]): CusipChange[] {
  const possible = departures
    .flatMap((departure) => arrivals.map((arrival) => changeBetween(departure, arrival)))
    .filter((change) => change !== null)
    .sort(compareChanges);
  const taken = new Set<string>();
  const changes: CusipChange[] = [];
  for (const { agreeing: _, ...change } of possible) {
    const [out, into] = [`from ${change.from}`, `to ${change.cusip}`];
    if (taken.has(out) || taken.has(into)) continue;
    taken.add(out).add(into);
    changes.push(change);
  }
  return changes;
}

type Ranked = CusipChange & { readonly agreeing: number };

function changeBetween(
  { cusip: from, left, compared }: Departure,
  { cusip, entered }: Arrival,
): Ranked | null {
  if (cusip === from || !isMost(Math.min(left.length, entered.size), compared)) return null;
  const moves = left.flatMap((before) => {
    const after = entered.get(before.cik);
    return after === undefined ? [] : [{ before, after, prior: before.prior, amount: after.amount }];
  });
  const votes = moves.length;
  if (!isMost(votes, compared)) return null;
  const isSameIssuer = from.slice(0, ISSUER_DIGITS) === cusip.slice(0, ISSUER_DIGITS);
  if (!isSameIssuer && !isMost(moves.filter(isOneIssuer).length, votes)) return null;
  const best = bestFactor(moves);
  if (best.agreeing < Math.max(MIN_WENT_OVER, votes * SPLIT_VOTE_SHARE)) return null;
  return { kind: 'cusip_change', cusip, from, votes, compared, ...best };
}

function isMost(holders: number, all: number): boolean {
  return holders >= MIN_WENT_OVER && holders * 100 >= all * CUSIP_CHANGE_PCT;
}

function isOneIssuer({ before, after }: { before: HolderMove; after: HolderMove }): boolean {
  return compareNames(before.issuer, after.issuer) === 'same';
}

/** The first of those with the most votes. */
function bestFactor(moves: readonly Pick<HolderMove, 'prior' | 'amount'>[]): {
  factor: SplitFactor;
  agreeing: number;
} {
  return FACTORS.map((factor) => ({
    factor,
    agreeing: moves.filter((move) => isMovedBy(move, factor)).length,
  })).reduce((best, next) => (next.agreeing > best.agreeing ? next : best));
}

function compareChanges(a: Ranked, b: Ranked): number {
  if (a.votes !== b.votes) return b.votes - a.votes;
  if (a.agreeing !== b.agreeing) return b.agreeing - a.agreeing;
  if (a.from !== b.from) return a.from < b.from ? -1 : 1;
  return a.cusip < b.cusip ? -1 : 1;
}
