import { compare } from '../compare.ts';
import { countBy, groupBy } from '../group.ts';
import { type Cik, type Cusip, issuerOf } from '../ids.ts';
import { isOneForOne, ONE_FOR_ONE, type SplitFactor } from '../report/report.ts';
import { compareNames } from '../security/issuer-name.ts';
import { isCrowdAt, nearestTo } from './crowd.ts';
import type { Holder, HolderMoves } from './holder-move.ts';
import { medianOf } from './price.ts';
import { CROWD_RATIOS, numberOf } from './split.ts';
import { CARRIED_VALUE_RATIO, CROWD_PCT, MEDIAN_TOLERANCE, MIN_WENT_OVER } from './thresholds.ts';
import type { CusipChange, MassEntry, MassExit } from './verdict.ts';

const FACTORS: readonly SplitFactor[] = [ONE_FOR_ONE, ...CROWD_RATIOS];

/** A security that most of its holders left, or one that most of its holders have just entered. */
export type Departure = {
  readonly cusip: Cusip;
  readonly left: readonly Holder[];
  readonly compared: number;
};
export type Arrival = {
  readonly cusip: Cusip;
  readonly entered: ReadonlyMap<Cik, Holder>;
  readonly compared: number;
};

export function departureFrom(cusip: Cusip, { left, throughout }: HolderMoves): Departure | null {
  const compared = left.length + throughout.managers.length;
  return isMost(left.length, compared) ? { cusip, left: left.holders(), compared } : null;
}

export function arrivalIn(cusip: Cusip, { entered, throughout }: HolderMoves): Arrival | null {
  const compared = entered.length + throughout.managers.length;
  if (!isMost(entered.length, compared)) return null;
  return { cusip, entered: new Map(entered.holders().map((holder) => [holder.cik, holder])), compared };
}

/**
 * Finds the CUSIPs that became another one, and pairs of CUSIPs of one issuer between which most holders moved
 * at no factor (rule 4.8).
 */
export function cusipChanges(
  departures: readonly Departure[],
  arrivals: readonly Arrival[],
): (CusipChange | MassExit | MassEntry)[] {
  const moves = movesBetween(departures, arrivals);
  const linked = changesOf(moves.flatMap(linkOf));
  const known = new Set<Cusip>(linked.flatMap(({ cusip, from }) => [cusip, from]));
  const others = moves.filter(({ from, to }) => !known.has(from.cusip) && !known.has(to.cusip));
  return [...linked, ...unlinked(others)];
}

function isMost(holders: number, all: number): boolean {
  return holders >= MIN_WENT_OVER && holders * 100 >= all * CROWD_PCT;
}

type Move = { readonly from: Departure; readonly to: Arrival; readonly moves: readonly WentOver[] };

/** Every two CUSIPs between which most of the departed went over. */
function movesBetween(departures: readonly Departure[], arrivals: readonly Arrival[]): Move[] {
  const entries = arrivals.flatMap((arrival) => [...arrival.entered.keys()].map((cik) => ({ cik, arrival })));
  const entrants = groupBy(entries, ({ cik }) => cik);
  return departures.flatMap((from) => {
    const counts = countBy(
      from.left.flatMap(({ cik }) => entrants.get(cik) ?? []),
      ({ arrival }) => arrival,
    );
    return [...counts]
      .filter(([to, count]) => to.cusip !== from.cusip && isMost(count, from.left.length))
      .map(([to]) => ({ from, to, moves: wentOver(from.left, to.entered) }));
  });
}

/** Shares of each holder that left the one security and entered the other, and the two positions. */
type WentOver = { readonly before: Holder; readonly after: Holder };

function wentOver(left: readonly Holder[], entered: Arrival['entered']): WentOver[] {
  return left.flatMap((before) => {
    const after = entered.get(before.cik);
    return after === undefined ? [] : [{ before, after }];
  });
}

/** Where most of the departed arrive at a median ratio near a factor, and at about the value that they left. */
function linkOf({ from, to, moves }: Move) {
  const ratios = Float64Array.from(moves, ({ before, after }) => after.shares / before.shares).sort();
  const median = medianOf(ratios);
  const factor = nearestTo(median, FACTORS);
  if (Math.abs(median / numberOf(factor) - 1) > MEDIAN_TOLERANCE) return [];
  const value = median * (medianPriceRatio(moves) ?? 1 / median);
  const isOfIssuer = issuerOf(from.cusip) === issuerOf(to.cusip);
  // A reverse split often comes with a fall.
  const isReversed = isOfIssuer && !isOneForOne(factor) && isCrowdAt(ratios, numberOf(factor));
  const isOneValue = value <= CARRIED_VALUE_RATIO && value >= 1 / CARRIED_VALUE_RATIO;
  if (!isOneValue && !isReversed) return [];
  const named = moves.filter(isOneName).length * 100 >= moves.length * CROWD_PCT;
  const ends = { cusip: to.cusip, from: from.cusip, factor };
  const change: CusipChange = {
    kind: 'cusip_change',
    ...ends,
    votes: moves.length,
    compared: from.compared,
  };
  return [{ change, isNamed: named || isOfIssuer, distance: Math.abs(Math.log(value)) }];
}

/** Of the median holder, so that no single slip decides. Null without any price: nothing speaks against it then. */
function medianPriceRatio(moves: readonly WentOver[]): number | null {
  const ratios = moves.flatMap(({ before, after }) =>
    before.price && after.price ? [after.price / before.price] : [],
  );
  return ratios.length === 0 ? null : medianOf(ratios.sort((a, b) => a - b));
}

function isOneName({ before, after }: WentOver): boolean {
  return compareNames(before.issuer, after.issuer) === 'same';
}

export type Link = {
  readonly change: CusipChange;
  readonly isNamed: boolean;
  /** From the value before, in logarithms. */
  readonly distance: number;
};

/** Each CUSIP is in at most one change: that of the most holders. Names break ties, then values. */
export function changesOf(links: readonly Link[]): CusipChange[] {
  const taken = new Set<string>();
  const changes: CusipChange[] = [];
  for (const { change } of links.toSorted(compareLinks)) {
    const [out, into] = [`from ${change.from}`, `to ${change.cusip}`];
    if (taken.has(out) || taken.has(into)) continue;
    taken.add(out).add(into);
    changes.push(change);
  }
  return changes;
}

function compareLinks(a: Link, b: Link): number {
  return (
    b.change.votes - a.change.votes ||
    Number(b.isNamed) - Number(a.isNamed) ||
    a.distance - b.distance ||
    compare(a.change.from, b.change.from) ||
    compare(a.change.cusip, b.change.cusip)
  );
}

/** Holders that went over to another CUSIP of the issuer at no factor neither sold the one nor bought the other. */
function unlinked(moves: readonly Move[]): (MassExit | MassEntry)[] {
  const found = new Map<string, MassExit | MassEntry>();
  for (const { from, to } of moves) {
    if (issuerOf(from.cusip) !== issuerOf(to.cusip)) continue;
    const [exits, entries] = [from.left.length, to.entered.size];
    found.set(`from ${from.cusip}`, {
      kind: 'mass_exit',
      cusip: from.cusip,
      votes: exits,
      compared: from.compared,
    });
    found.set(`to ${to.cusip}`, {
      kind: 'mass_entry',
      cusip: to.cusip,
      votes: entries,
      compared: to.compared,
    });
  }
  return [...found.values()];
}
