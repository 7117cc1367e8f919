import { addDays } from '../calendar.ts';
import { compare } from '../compare.ts';
import { countBy, groupBy } from '../group.ts';
import { type Cik, type Cusip, issuerOf, type QuarterEnd } from '../ids.ts';
import type { PriceStep, Succession } from '../market/market.ts';
import { JUMP_DAYS } from '../market/thresholds.ts';
import { previousQuarterEnd } from '../quarter.ts';
import { ONE_FOR_ONE, type SplitFactor } from '../report/report.ts';
import { compareNames } from '../security/issuer-name.ts';
import type { Holder, HolderMoves } from './holder-move.ts';
import { medianOf } from './price.ts';
import { exactFactor, isWithin, numberOf, SPLIT_FACTORS } from './split.ts';
import {
  CARRIED_VALUE_RATIO,
  CROWD_PCT,
  JUMP_TOLERANCE,
  LEAST_FALLEN,
  MIN_EQUAL_HOLDERS,
  MIN_WENT_OVER,
  ROUND_LOT,
  SUCCESSION_DAYS,
} from './thresholds.ts';
import type { CusipChange, SuspectedCusipChange } from './verdict.ts';

/** A security that all of its holders left, or most of many; and one that they entered. */
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

type Change = CusipChange | SuspectedCusipChange;

export function departureFrom(cusip: Cusip, { left, throughout }: HolderMoves): Departure | null {
  const compared = left.length + throughout.prior.length;
  return isTelling(left.length, compared) ? { cusip, left: left.holders(), compared } : null;
}

export function arrivalIn(cusip: Cusip, { entered, throughout }: HolderMoves): Arrival | null {
  const compared = entered.length + throughout.prior.length;
  return isTelling(entered.length, compared)
    ? { cusip, entered: byManager(entered.holders()), compared }
    : null;
}

function byManager(holders: readonly Holder[]): ReadonlyMap<Cik, Holder> {
  return new Map(holders.map((holder) => [holder.cik, holder]));
}

function isTelling(moved: number, all: number): boolean {
  return isMost(moved, all) || (moved >= MIN_EQUAL_HOLDERS && moved === all);
}

function isMost(holders: number, all: number): boolean {
  return holders >= MIN_WENT_OVER && holders * 100 >= all * CROWD_PCT;
}

/** A holder's two positions, where it left the one security and entered the other. */
type WentOver = { readonly before: Holder; readonly after: Holder };

function wentOver(left: readonly Holder[], entered: ReadonlyMap<Cik, Holder>): WentOver[] {
  return left.flatMap((before) => {
    const after = entered.get(before.cik);
    return after === undefined ? [] : [{ before, after }];
  });
}

const BACKWARD: readonly SplitFactor[] = [
  ONE_FOR_ONE,
  ...SPLIT_FACTORS.filter(({ numerator, denominator }) => numerator === 1n || denominator === 1n),
];

/** Whether the symbol went on under another CUSIP between the two quarter ends, after a few days at most. */
export function isOfQuarter({ last, first }: Succession, quarterEnd: QuarterEnd): boolean {
  const isWithinQuarter = first.day > previousQuarterEnd(quarterEnd) && first.day <= quarterEnd;
  return isWithinQuarter && first.day <= addDays(last.day, SUCCESSION_DAYS);
}

/** That the security goes on at its price: a new name, and nothing else. */
function isContinued({ last, first }: PriceStep): boolean {
  return isWithin(first.price / last.price, JUMP_TOLERANCE) && first.day <= addDays(last.day, JUMP_DAYS);
}

/** A succession, or two of which each goes on at its price, one for one. */
export type Step = Succession & { readonly isOneForOne?: true };

/** Two that follow one another are one, where nobody holds what is between them. */
export function stepsOf(successions: readonly Succession[], isHeld: (cusip: Cusip) => boolean): Step[] {
  const onwards = new Map(successions.filter(isContinued).map((one) => [one.from, one]));
  return successions.map((one) => {
    const next = isContinued(one) && !isHeld(one.to) ? onwards.get(one.to) : undefined;
    if (next === undefined) return one;
    return {
      ...one,
      to: next.to,
      names: [one.names[0], next.names[1]],
      first: next.first,
      isOneForOne: true,
    };
  });
}

/**
 * What a symbol that goes on under another CUSIP proves (rule 4.8): one security, where names agree, or where the
 * price is that of before or a whole number of times it. Null for another company that took over the symbol.
 */
export function changeOfSuccession(
  { from, to, names, last, first, isOneForOne }: Step,
  holders: Pick<HolderMoves, 'left' | 'entered'>,
): Change | null {
  const left = holders.left.holders();
  const moves = wentOver(left, byManager(holders.entered.holders()));
  const ratio = first.price / last.price;
  const isNamed = compareNames(...names) === 'same' || /\bNEW\b/.test(names[1]);
  const priced = BACKWARD.filter((factor) => isWithin(ratio * numberOf(factor), JUMP_TOLERANCE));
  // A reverse split often comes with a fall.
  const fallen = (factor: SplitFactor) =>
    numberOf(factor) < 1 &&
    ratio > 1 &&
    ratio * numberOf(factor) < 1 &&
    ratio * numberOf(factor) > LEAST_FALLEN;
  const allowed = isNamed ? BACKWARD.filter((factor) => priced.includes(factor) || fallen(factor)) : priced;
  const exact = allowed
    .map((factor) => ({ factor, votes: moves.filter((move) => isExact(move, numberOf(factor))).length }))
    .sort((a, b) => b.votes - a.votes);
  const [best, next] = exact;
  const found = { cusip: to, from, votes: moves.length, compared: left.length, prices: { last, first } };
  if (isOneForOne) {
    // A split under the CUSIP between them shows in no price of the two ends.
    const isSplit = BACKWARD.slice(1).some((factor) => moves.some((move) => isExact(move, numberOf(factor))));
    return {
      ...found,
      ...(isSplit ? { kind: 'cusip_change_suspected' } : { kind: 'cusip_change', factor: ONE_FOR_ONE }),
    };
  }
  if (best !== undefined && best.votes > (next?.votes ?? 0) && !isChance(best.votes, moves.length))
    return { kind: 'cusip_change', ...found, factor: best.factor };
  // A new name at the price of before. Any other factor might be its neighbour's while the price falls.
  if (isContinued({ last, first })) return { kind: 'cusip_change', ...found, factor: ONE_FOR_ONE };
  return isNamed || priced.length > 0 ? { kind: 'cusip_change_suspected', ...found } : null;
}

/** Of several that traded, one hits some factor by chance, but hardly two of them the same. */
function isChance(votes: number, moves: number): boolean {
  return moves > votes * (votes > 1 ? 40 : 3);
}

/** Equal counts, or to the share those of one factor alone. */
function isExact({ before, after }: WentOver, factor: number): boolean {
  if (factor === 1) return before.shares === after.shares;
  return exactFactor({ prior: before.shares, amount: after.shares }) === factor;
}

/** What holders alone say of CUSIPs that they went over to (rule 4.8): mostly a doubt. */
export function changesOfHolders(departures: readonly Departure[], arrivals: readonly Arrival[]): Change[] {
  const entries = arrivals.flatMap((arrival) => [...arrival.entered.keys()].map((cik) => ({ cik, arrival })));
  const entrants = groupBy(entries, ({ cik }) => cik);
  const found = departures.flatMap((from) => {
    const counts = countBy(
      from.left.flatMap(({ cik }) => entrants.get(cik) ?? []),
      ({ arrival }) => arrival,
    );
    return [...counts.keys()].flatMap((to) =>
      to.cusip === from.cusip ? [] : (changeBetween(from, to) ?? []),
    );
  });
  return eachOnce(found);
}

function changeBetween({ cusip: from, left, compared }: Departure, to: Arrival): Change | null {
  const moves = wentOver(left, to.entered);
  const ends = { cusip: to.cusip, from, compared };
  const isOfIssuer = issuerOf(from) === issuerOf(to.cusip);
  const equal = moves.filter(
    ({ before, after }) => before.shares === after.shares && after.shares % ROUND_LOT !== 0,
  );
  const isWhole = compared === left.length && to.compared === to.entered.size;
  if (
    isOfIssuer &&
    isWhole &&
    isOneValue(moves) &&
    equal.length >= MIN_EQUAL_HOLDERS &&
    equal.length * 2 > moves.length
  )
    return { kind: 'cusip_change', ...ends, votes: equal.length, factor: ONE_FOR_ONE };
  if (!isMost(moves.length, left.length) || !isMost(left.length, compared)) return null;
  if (!isMost(to.entered.size, to.compared)) return null;
  return isOfIssuer || isOneValue(moves)
    ? { kind: 'cusip_change_suspected', ...ends, votes: moves.length }
    : null;
}

/** Whether the median holder's value stayed within a factor of two. Without any price nothing speaks against it. */
function isOneValue(moves: readonly WentOver[]): boolean {
  const ratios = moves.flatMap(({ before, after }) =>
    before.price && after.price ? [(after.shares * after.price) / (before.shares * before.price)] : [],
  );
  return ratios.length === 0 || isWithin(medianOf(ratios.sort((a, b) => a - b)), CARRIED_VALUE_RATIO - 1);
}

/** Each CUSIP is in at most one change at each end: the proven one, then that of a symbol, then that of the most holders. */
export function eachOnce(changes: readonly Change[]): Change[] {
  const taken = new Set<string>();
  return changes.toSorted(compareChanges).filter(({ from, cusip }) => {
    const [out, into] = [`from ${from}`, `to ${cusip}`];
    if (taken.has(out) || taken.has(into)) return false;
    taken.add(out).add(into);
    return true;
  });
}

function compareChanges(a: Change, b: Change): number {
  return (
    Number(b.kind === 'cusip_change') - Number(a.kind === 'cusip_change') ||
    Number(b.prices !== undefined) - Number(a.prices !== undefined) ||
    b.votes - a.votes ||
    compare(a.from, b.from) ||
    compare(a.cusip, b.cusip)
  );
}
