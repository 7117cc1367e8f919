import { compare } from '../compare.ts';
import { countBy, groupBy } from '../group.ts';
import { type Cik, type Cusip, issuerOf } from '../ids.ts';
import { ONE_FOR_ONE } from '../report/report.ts';
import { compareNames } from '../security/issuer-name.ts';
import {
  commonFactorOf,
  type Holder,
  type HolderMoves,
  isMovedBy,
  isUnchanged,
  type Shares,
} from './holder-move.ts';
import { medianOf } from './price.ts';
import { numberOf, SPLIT_RATIOS } from './split.ts';
import {
  CUSIP_CHANGE_PCT,
  FACTOR_PCT,
  MIN_MASS_MOVE_HOLDERS,
  MIN_WENT_OVER,
  RENAMED_PRICE_RATIO,
  SPLIT_VOTE_SHARE,
} from './thresholds.ts';
import type { CusipChange, MassEntry, MassExit } from './verdict.ts';

const FACTORS = [ONE_FOR_ONE, ...SPLIT_RATIOS].map((factor) => ({ factor, ratio: numberOf(factor) }));

/** A security that most of its holders left, or one that most of its holders have just entered. */
type Departure = {
  readonly cusip: Cusip;
  readonly left: readonly Holder[];
  readonly compared: number;
};
type Arrival = {
  readonly cusip: Cusip;
  readonly entered: ReadonlyMap<Cik, Holder>;
  readonly compared: number;
};

/**
 * Collects the securities that most of their holders left or entered. It finds the CUSIPs that became
 * another one, and pairs of CUSIPs between which most holders moved at no common ratio (rule 4.8).
 */
export function cusipChanges() {
  const departures: Departure[] = [];
  const arrivals: Arrival[] = [];
  return {
    add: (cusip: Cusip, { left, entered, throughout }: HolderMoves): void => {
      const before = left.length + throughout.managers.length;
      if (isMost(left.length, before)) departures.push({ cusip, left: left.holders(), compared: before });
      const after = entered.length + throughout.managers.length;
      if (!isMost(entered.length, after)) return;
      const holders = new Map(entered.holders().map((holder) => [holder.cik, holder]));
      arrivals.push({ cusip, entered: holders, compared: after });
    },
    find: (): (CusipChange | MassExit | MassEntry)[] => {
      const linked = linkedChanges(departures, arrivals);
      const known = new Set<Cusip>(linked.flatMap(({ cusip, from }) => [cusip, from]));
      const isOpen = ({ cusip }: Departure | Arrival) => !known.has(cusip);
      return [...linked, ...unlinkedMoves(departures.filter(isOpen), arrivals.filter(isOpen))];
    },
  };
}

function isMost(holders: number, all: number): boolean {
  return holders >= MIN_WENT_OVER && holders * 100 >= all * CUSIP_CHANGE_PCT;
}

/** Each CUSIP is in at most one change, the one of the most holders. */
function linkedChanges(departures: readonly Departure[], arrivals: readonly Arrival[]): CusipChange[] {
  const entrants = entrantsOf(arrivals);
  const possible = departures
    .flatMap((departure) => changesFrom(departure, arrivalsOfSame(departure, entrants)))
    .sort(compareChanges);
  const taken = new Set<string>();
  const changes: CusipChange[] = [];
  for (const { from, cusip, factor, votes, compared } of possible) {
    const [out, into] = [`from ${from}`, `to ${cusip}`];
    if (taken.has(out) || taken.has(into)) continue;
    taken.add(out).add(into);
    changes.push({ kind: 'cusip_change', cusip, from, factor, votes, compared });
  }
  return changes;
}

/**
 * Where most holders of a CUSIP went over to another one of its issuer and no ratio links the two:
 * they neither sold the one nor bought the other.
 */
function unlinkedMoves(departures: readonly Departure[], arrivals: readonly Arrival[]) {
  const entrants = entrantsOf(arrivals);
  const massExits: MassExit[] = [];
  const massEntries = new Map<Cusip, MassEntry>();
  for (const departure of departures) {
    const into = arrivalsOfSame(departure, entrants).filter((arrival) => isUnlinked(departure, arrival));
    if (into.length === 0) continue;
    const { cusip, left, compared } = departure;
    massExits.push({ kind: 'mass_exit', cusip, votes: left.length, compared });
    for (const { cusip, entered, compared } of into) {
      massEntries.set(cusip, { kind: 'mass_entry', cusip, votes: entered.size, compared });
    }
  }
  return [...massExits, ...massEntries.values()];
}

/** Enough holders, or fewer at one ratio. Unchanged counts are ignored: they may be chance between sister funds. */
function isUnlinked({ cusip, left }: Departure, arrival: Arrival): boolean {
  if (arrival.cusip === cusip || !isOfIssuer(arrival.cusip, cusip)) return false;
  const moves = wentOver(left, arrival.entered);
  if (moves.length >= MIN_MASS_MOVE_HOLDERS) return true;
  const ratio = numberOf(commonFactorOf(Float64Array.from(moves, ({ prior, amount }) => amount / prior)));
  const agreeing = moves.filter((move) => isMovedBy(move, ratio) && !isUnchanged(move)).length;
  return agreeing * 100 >= moves.length * FACTOR_PCT;
}

/** What each manager entered. */
function entrantsOf(arrivals: readonly Arrival[]) {
  const entries = arrivals.flatMap((arrival) => [...arrival.entered.keys()].map((cik) => ({ cik, arrival })));
  return groupBy(entries, ({ cik }) => cik);
}

/** The arrivals that enough of the departed holders entered: a few of many securities. */
function arrivalsOfSame({ left, compared }: Departure, entrants: ReturnType<typeof entrantsOf>): Arrival[] {
  const entries = left.flatMap(({ cik }) => entrants.get(cik) ?? []);
  const counts = countBy(entries, ({ arrival }) => arrival);
  return [...counts].filter(([, count]) => isMost(count, compared)).map(([arrival]) => arrival);
}

type Ranked = NonNullable<ReturnType<typeof changeBetween>>;

/**
 * A change of issuer digits, as after a change of domicile, needs matching names and no other new
 * security at the same holders: with a spun-off company, the names mislead.
 */
function changesFrom(departure: Departure, arrivals: readonly Arrival[]): Ranked[] {
  const all = arrivals.map((arrival) => changeBetween(departure, arrival)).filter((one) => one !== null);
  const ofIssuer = all.filter(({ cusip }) => isOfIssuer(cusip, departure.cusip));
  if (ofIssuer.length > 0) return ofIssuer;
  return all.length === 1 ? all.filter(({ hasOneName }) => hasOneName) : [];
}

/** A factor that restates shares is not tested by the price: a reverse split often comes with a fall. */
function changeBetween({ cusip: from, left, compared }: Departure, { cusip, entered }: Arrival) {
  if (cusip === from) return null;
  const moves = wentOver(left, entered);
  const votes = moves.length;
  const best = bestFactor(moves);
  const isRenamed = best.factor === ONE_FOR_ONE;
  const share = isRenamed ? SPLIT_VOTE_SHARE : FACTOR_PCT / 100;
  if (best.agreeing < Math.max(MIN_WENT_OVER, votes * share)) return null;
  if (isRenamed && isOfIssuer(cusip, from) && !isPricedAlike(moves)) return null;
  const hasOneName = isMost(moves.filter(isOneIssuer).length, votes);
  return { cusip, from, votes, compared, hasOneName, ...best };
}

function isOfIssuer(cusip: Cusip, other: Cusip): boolean {
  return issuerOf(cusip) === issuerOf(other);
}

type WentOver = Shares & { readonly before: Holder; readonly after: Holder };

/** Holders that left the one security and entered the other. */
function wentOver(left: readonly Holder[], entered: Arrival['entered']): WentOver[] {
  return left.flatMap((before) => {
    const after = entered.get(before.cik);
    return after === undefined ? [] : [{ before, after, prior: before.shares, amount: after.shares }];
  });
}

/** By the median holder, so that no single slip decides. Without any price nothing speaks against it. */
function isPricedAlike(moves: readonly WentOver[]): boolean {
  const ratios = moves
    .flatMap(({ before, after }) => (before.price && after.price ? [after.price / before.price] : []))
    .sort((a, b) => a - b);
  if (ratios.length === 0) return true;
  const median = medianOf(ratios);
  return median <= RENAMED_PRICE_RATIO && median >= 1 / RENAMED_PRICE_RATIO;
}

function isOneIssuer({ before, after }: WentOver): boolean {
  return compareNames(before.issuer, after.issuer) === 'same';
}

/** The first of the candidates with the most votes: one for one before any other. */
function bestFactor(moves: readonly Shares[]) {
  return FACTORS.map(({ factor, ratio }, rank) => ({
    factor,
    rank,
    /** Holders that moved by the factor itself. */
    agreeing: moves.filter((move) => isMovedBy(move, ratio)).length,
  })).reduce((best, next) => (next.agreeing > best.agreeing ? next : best));
}

/** Ties go to the ratio's votes, then to the simpler ratio, then to the CUSIPs in order. */
function compareChanges(a: Ranked, b: Ranked): number {
  return (
    b.votes - a.votes ||
    b.agreeing - a.agreeing ||
    a.rank - b.rank ||
    compare(a.from, b.from) ||
    compare(a.cusip, b.cusip)
  );
}
