import { addDays } from '../calendar.ts';
import { compare } from '../compare.ts';
import { groupBy } from '../group.ts';
import { type Cik, type Cusip, issuerOf, type QuarterEnd } from '../ids.ts';
import type { PriceStep, Succession } from '../market/market.ts';
import { JUMP_DAYS } from '../market/thresholds.ts';
import { previousQuarterEnd } from '../quarter.ts';
import { ONE_FOR_ONE, type SplitFactor } from '../report/report.ts';
import { compareNames } from '../security/issuer-name.ts';
import type { Holder, HolderMoves } from './holder-move.ts';
import { exactFactor, isWithin, medianOf, numberOf, SPLIT_FACTORS } from './split.ts';
import {
  CARRIED_VALUE_RATIO,
  CROWD_PCT,
  CROWD_SPREAD,
  JUMP_TOLERANCE,
  LEAST_FALLEN,
  MIN_EQUAL_HOLDERS,
  MIN_EQUAL_SHARES,
  MIN_WENT_OVER,
  ROUND_LOT,
  SUCCESSION_DAYS,
} from './thresholds.ts';
import type { CusipChange, SuspectedCusipChange } from './verdict.ts';

/** A security that all of its holders left or entered, or most of many. */
export type Crossing = {
  readonly cusip: Cusip;
  readonly holders: ReadonlyMap<Cik, Holder>;
  readonly compared: number;
};

type Change = CusipChange | SuspectedCusipChange;

/** Null where too few of the holders left, or entered. */
export function crossingOf(
  cusip: Cusip,
  moved: HolderMoves['left'],
  { throughout }: HolderMoves,
): Crossing | null {
  const compared = moved.length + throughout.prior.length;
  const isWhole = moved.length >= MIN_EQUAL_HOLDERS && moved.length === compared;
  if (!isWhole && !isMost(moved.length, compared)) return null;
  return { cusip, holders: byManager(moved), compared };
}

function byManager(moved: HolderMoves['left']): Crossing['holders'] {
  return new Map(moved.holders().map((holder) => [holder.cik, holder]));
}

function isMost(holders: number, all: number): boolean {
  return holders >= MIN_WENT_OVER && holders * 100 >= all * CROWD_PCT;
}

/** A holder's two positions, where it left the one security and entered the other. */
type WentOver = { readonly before: Holder; readonly after: Holder };

function wentOver(left: Crossing['holders'], entered: Crossing['holders']): WentOver[] {
  return [...left.values()].flatMap((before) => {
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
  { left, entered }: Pick<HolderMoves, 'left' | 'entered'>,
): Change | null {
  const moves = wentOver(byManager(left), byManager(entered));
  const found = { cusip: to, from, votes: moves.length, compared: left.length, prices: { last, first } };
  const changed = (factor: SplitFactor): Change => ({ kind: 'cusip_change', ...found, factor });
  const suspected: Change = { kind: 'cusip_change_suspected', ...found };
  const isShownBy = (factor: SplitFactor) => moves.some((move) => isExact(move, numberOf(factor)));
  // A split under the CUSIP between them shows in no price of the two ends.
  if (isOneForOne) return BACKWARD.slice(1).some(isShownBy) ? suspected : changed(ONE_FOR_ONE);
  const isNamed = compareNames(...names) === 'same' || /\bNEW\b/.test(names[1]);
  const ratio = first.price / last.price;
  const priced = BACKWARD.filter((factor) => isWithin(ratio * numberOf(factor), JUMP_TOLERANCE));
  const allowed = BACKWARD.filter(
    (factor) => priced.includes(factor) || (isNamed && isFallen(ratio, numberOf(factor))),
  );
  const [best, next] = allowed
    .map((factor) => ({ factor, votes: moves.filter((move) => isExact(move, numberOf(factor))).length }))
    .sort((a, b) => b.votes - a.votes);
  if (best !== undefined && best.votes > (next?.votes ?? 0) && !isChance(best.votes, moves.length))
    return changed(best.factor);
  // A new name at the price of before. Any other factor might be its neighbour's while the price falls.
  if (isContinued({ last, first })) return changed(ONE_FOR_ONE);
  return isNamed || priced.length > 0 ? suspected : null;
}

/** A reverse split often comes with a fall. */
function isFallen(ratio: number, factor: number): boolean {
  const left = ratio * factor;
  return factor < 1 && ratio > 1 && left < 1 && left > LEAST_FALLEN;
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
export function changesOfHolders(departures: readonly Crossing[], arrivals: readonly Crossing[]): Change[] {
  const entries = arrivals.flatMap((to) => [...to.holders.keys()].map((cik) => ({ cik, to })));
  const entrants = groupBy(entries, ({ cik }) => cik);
  const found = departures.flatMap((from) => {
    const targets = [...from.holders.keys()].flatMap((cik) => entrants.get(cik) ?? []);
    return [...new Set(targets.map(({ to }) => to))].flatMap((to) => changeBetween(from, to) ?? []);
  });
  return eachOnce(found);
}

function changeBetween({ cusip: from, holders: left, compared }: Crossing, to: Crossing): Change | null {
  if (to.cusip === from) return null;
  const moves = wentOver(left, to.holders);
  const ends = { cusip: to.cusip, from, compared };
  const isOfIssuer = issuerOf(from) === issuerOf(to.cusip);
  const equal = moves.filter(
    ({ before, after }) => before.shares === after.shares && after.shares % ROUND_LOT !== 0,
  );
  const isWhole = compared === left.size && to.compared === to.holders.size;
  const isEqual = equal.length >= MIN_EQUAL_HOLDERS && equal.length * 2 > moves.length;
  if (isOfIssuer && isWhole && isEqual && isOneValue(moves))
    return { kind: 'cusip_change', ...ends, votes: equal.length, factor: ONE_FOR_ONE };
  // All of both went over, and one did nothing else.
  const isAll = isWhole && moves.length === left.size && left.size === to.holders.size;
  const isTold = equal.some(({ after }) => after.shares >= MIN_EQUAL_SHARES);
  if (isAll && isTold && isOneValue(moves))
    return { kind: 'cusip_change_suspected', ...ends, votes: moves.length };
  const isCrowd = isMost(moves.length, left.size) && isMost(left.size, compared);
  if (!isCrowd || !isMost(to.holders.size, to.compared)) return null;
  return isOfIssuer || (isOneValue(moves) && isOneMultiple(moves))
    ? { kind: 'cusip_change_suspected', ...ends, votes: moves.length }
    : null;
}

/** Whether two fifths went over at about one multiple: who tracks an index leaves a takeover and buys what is new at any. */
function isOneMultiple(moves: readonly WentOver[]): boolean {
  const multiples = moves.map(({ before, after }) => after.shares / before.shares).sort((a, b) => a - b);
  const median = medianOf(multiples);
  return multiples.filter((one) => isWithin(one / median, CROWD_SPREAD)).length * 5 >= moves.length * 2;
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
