import { groupBy } from '../group.ts';
import { type Changed, type FiledQuarters, isSoundIn, rowsOf, securitiesIn } from './filed-quarter.ts';
import type { Holder, HolderMoves } from './holder-move.ts';
import { priceOfOthers } from './peer-price.ts';
import { medianOf } from './split.ts';
import {
  CARRIED_VALUE_RATIO,
  CROWD_PCT,
  CROWD_SPREAD,
  MIN_CROWD_HOLDERS,
  MIN_EQUAL_SHARES,
} from './thresholds.ts';
import type { StockMerger } from './verdict.ts';

/** New shares for each one before, of the securities that were split. */
type Splits = ReadonlyMap<number, number>;

/** A security that ceased, and its holders before that hold it no more. */
type Ceased = { readonly security: number; readonly left: HolderMoves['left'] };

/** What one holder gained of a security, for how many shares of another one. */
type Gain = { readonly gained: number; readonly target: number };

/** It more than doubled what the holder had; it is worth about the target's shares. */
type TellingGain = Gain & {
  readonly security: number;
  readonly isDoubled: boolean;
  readonly isOneValue: boolean;
};

/** A security of which holders of a target gained alike, and the shares gained for each share of the target. */
type Given = {
  readonly security: number;
  readonly votes: number;
  readonly multiple: number;
  /** Of holders that traded beside: it counts only where the prices of both securities agree with it. */
  readonly nearMultiple?: number;
};

/**
 * Finds securities that were given for the shares of one that ceased, as in a stock merger (rule 4.9):
 * its holders gained one multiple of what they had of it. Buyers of the same stock gain no common multiple.
 * Remembers what the holders of each target gained, as long as none of them reports anew.
 */
export function stockMergers() {
  const known = new Map<number, readonly Given[]>();
  let splitsThen = '';
  /** @param splits what was held before counts in the shares after them */
  return (quarters: FiledQuarters, { compared, managers }: Changed, splits: Splits) => {
    const splitsNow = [...splits].sort(([a], [b]) => a - b).join();
    if (splitsNow !== splitsThen) known.clear();
    for (const security of compared) known.delete(security);
    for (const security of securitiesIn(quarters.prior, managers)) known.delete(security);
    splitsThen = splitsNow;
    const gainsOf = tellingGains(quarters, splits);
    const { textOf } = quarters.names.securities;
    return ({ security: target, left }: Ceased): StockMerger[] => {
      const given = known.get(target) ?? givenIn(left.holders().flatMap(gainsOf));
      known.set(target, given);
      return given
        .filter((one) => isOneValue(quarters, target, one))
        .map(({ security, votes, multiple }) => ({
          kind: 'stock_merger',
          cusip: textOf(security),
          from: textOf(target),
          votes,
          multiple,
          compared: left.length,
        }));
    };
  };
}

function isOneValue(
  { prior, current }: FiledQuarters,
  target: number,
  { security, nearMultiple }: Given,
): boolean {
  if (nearMultiple === undefined) return true;
  const [before, after] = [priceOfOthers(prior, target), priceOfOthers(current, security)];
  return Math.abs(after + Math.log10(nearMultiple) - before) <= Math.log10(CARRIED_VALUE_RATIO);
}

/** The securities of which a holder of a target has more than before, by as much as it may have been given. */
function tellingGains({ prior, current, names }: FiledQuarters, splits: Splits) {
  /** The earlier shares of one manager; all zero between two. */
  const before = new Float64Array(names.securities.size());
  const gainIn = (row: number) => {
    const [security, amount] = [current.columns().security[row] as number, current.amountOf(row)];
    const gained = amount - (before[security] as number);
    if (gained <= 0 || !isSoundIn(current, row)) return [];
    const worth = (gained * current.centsOf(row)) / amount;
    return [{ security, gained, worth, isDoubled: gained * 2 > amount }];
  };
  const gainsOf = (manager: number) => {
    const held = rowsOf(prior, manager);
    const securityOf = (row: number) => prior.columns().security[row] as number;
    for (const row of held) {
      const shares = prior.amountOf(row) * (splits.get(securityOf(row)) ?? 1);
      // What is in doubt may have been more than what is held now.
      before[securityOf(row)] = isSoundIn(prior, row) ? shares : Number.POSITIVE_INFINITY;
    }
    const gains = rowsOf(current, manager).flatMap(gainIn);
    for (const row of held) before[securityOf(row)] = 0;
    return gains;
  };
  /** By manager: a large one held much that ceased. */
  const known = new Map<number, ReturnType<typeof gainsOf>>();
  return ({ cik, shares: target, price }: Holder): TellingGain[] => {
    const manager = names.managers.numberOf(cik);
    const gains = known.get(manager) ?? gainsOf(manager);
    known.set(manager, gains);
    const value = target * (price ?? 0);
    return gains.flatMap(({ security, gained, worth, isDoubled }) => {
      const isNear = worth <= value * CARRIED_VALUE_RATIO && value <= worth * CARRIED_VALUE_RATIO;
      const isOneValue = isNear && gained >= MIN_EQUAL_SHARES;
      return isDoubled || isOneValue ? [{ security, gained, target, isDoubled, isOneValue }] : [];
    });
  };
}

function givenIn(gains: readonly TellingGain[]): Given[] {
  return [...groupBy(gains, ({ security }) => security)].flatMap(([security, own]) => {
    const alike = exactlyAlike(own) ?? nearlyAlike(own);
    return alike === null ? [] : [{ security, ...alike }];
  });
}

/** The multiple that most holders gained within one share, if they are enough. Small gains are alike by chance. */
function exactlyAlike(gains: readonly TellingGain[]): Omit<Given, 'security'> | null {
  const { votes, low, high } = exactMultiple(gains.filter(({ isOneValue }) => isOneValue));
  return votes < MIN_CROWD_HOLDERS ? null : { votes, multiple: shortestBetween(low, high) };
}

/** The multiples that most holders have of the target within one share: from `low` to `high`. */
export function exactMultiple(gains: readonly Gain[]) {
  const starts = Float64Array.from(gains, ({ gained, target }) => (gained - 1) / target).sort();
  const ends = Float64Array.from(gains, ({ gained, target }) => (gained + 1) / target).sort();
  let best = { votes: 0, low: 0, high: 0 };
  let ended = 0;
  for (const [at, low] of starts.entries()) {
    while ((ends[ended] as number) < low) ended += 1;
    const votes = at + 1 - ended;
    if (votes > best.votes) best = { votes, low, high: ends[ended] as number };
  }
  return best;
}

/** The number of fewest decimals between the two. */
function shortestBetween(low: number, high: number): number {
  for (let decimals = 0; decimals < 9; decimals += 1) {
    const rounded = Number(((low + high) / 2).toFixed(decimals));
    if (rounded >= low && rounded <= high) return rounded;
  }
  return (low + high) / 2;
}

/**
 * The median multiple, if most holders are near it: they traded beside, as most do. Of those that gained more
 * than they had before, because what a large holder trades hides what it was given.
 */
function nearlyAlike(gains: readonly TellingGain[]): Omit<Given, 'security'> | null {
  const { median, votes } = crowdIn(gains.filter(({ isDoubled }) => isDoubled));
  if (votes < MIN_CROWD_HOLDERS) return null;
  return { votes, multiple: Number(median.toPrecision(3)), nearMultiple: median };
}

/** The median multiple, and how many are within what holders trade of it: none where they are not most (rule 4.9). */
export function crowdIn(gains: readonly Gain[]) {
  const multiples = Float64Array.from(gains, ({ gained, target }) => gained / target).sort();
  const median = medianOf(multiples);
  const near = multiples.filter(
    (multiple) => multiple >= median / (1 + CROWD_SPREAD) && multiple <= median * (1 + CROWD_SPREAD),
  ).length;
  return { median, votes: near * 100 >= multiples.length * CROWD_PCT ? near : 0 };
}
