import type { Cusip } from '../ids.ts';
import { type Changed, securitiesIn } from './changed.ts';
import { countNear, isCrowdAt } from './crowd.ts';
import { isSoundIn } from './filed-position.ts';
import type { FiledQuarters } from './filed-quarter.ts';
import type { Holder, HolderMoves } from './holder-move.ts';
import { priceOfOthers } from './peer-price.ts';
import { medianOf } from './price.ts';
import { CARRIED_VALUE_RATIO, MIN_CROWD_HOLDERS, MIN_EQUAL_SHARES } from './thresholds.ts';
import type { StockMerger } from './verdict.ts';

/** New shares for each one before, of the securities that were split. */
type Splits = ReadonlyMap<number, number>;

/** A security that ceased, and its holders before that hold it no more. */
type Ceased = { readonly security: number; readonly left: HolderMoves['left'] };

/** What one holder of the target gained of another security, for how many shares of the target. */
type Gain = {
  readonly gained: number;
  readonly target: number;
  readonly isDoubled: boolean;
  readonly isOneValue: boolean;
};

/** Holders that gained alike, and the shares gained for each share of the target. */
type Alike = { readonly votes: number; readonly multiple: number };

/** A security of which holders of a target gained alike. */
type Given = {
  readonly security: number;
  readonly alike: Alike;
  /** Of holders that traded beside: it counts only where the prices of both securities agree with it. */
  readonly nearMultiple: number | null;
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
    const givenTo = givenFor(quarters, splits);
    return ({ security: target, left }: Ceased): StockMerger[] => {
      const given = known.get(target) ?? givenTo(left.holders());
      known.set(target, given);
      return given
        .filter(
          ({ security, nearMultiple }) =>
            nearMultiple === null || isOneValue(quarters, target, { security, nearMultiple }),
        )
        .map(({ security, alike }) => {
          const [cusip, from] = [security, target].map(quarters.names.securities.textOf) as [Cusip, Cusip];
          return { kind: 'stock_merger', cusip, from, ...alike, compared: left.length };
        });
    };
  };
}

function isOneValue(
  { prior, current }: FiledQuarters,
  target: number,
  { security, nearMultiple }: { readonly security: number; readonly nearMultiple: number },
): boolean {
  const [before, after] = [priceOfOthers(prior, target), priceOfOthers(current, security)];
  return Math.abs(after + Math.log10(nearMultiple) - before) <= Math.log10(CARRIED_VALUE_RATIO);
}

function givenFor(quarters: FiledQuarters, splits: Splits) {
  const gainsOfMany = tellingGains(quarters, splits);
  return (left: readonly Holder[]): Given[] =>
    [...gainsOfMany(left)].flatMap(([security, gains]): Given[] => {
      const exactly = exactlyAlike(gains);
      if (exactly !== null) return [{ security, alike: exactly, nearMultiple: null }];
      const nearly = nearlyAlike(gains);
      return nearly === null ? [] : [{ security, ...nearly }];
    });
}

/** The telling gains of the holders, by the securities of which enough of them have one. */
function tellingGains({ prior, current, names }: FiledQuarters, splits: Splits) {
  const gainsOf = gainsOfManagers({ prior, current, names }, splits);
  /** Telling gains of each security; all zero between two targets. */
  const counts = new Int32Array(names.securities.size());
  const each = (left: readonly Holder[], visit: (security: number, gain: () => Gain) => void): void => {
    for (const { cik, shares, price } of left) {
      const { security, gained, cents, isDoubled } = gainsOf(names.managers.numberOf(cik));
      const value = shares * (price ?? 0);
      for (let at = 0; at < security.length; at += 1) {
        const doubled = isDoubled[at] === 1;
        const [shareCount, worth] = [gained[at] as number, cents[at] as number];
        const same =
          shareCount >= MIN_EQUAL_SHARES &&
          worth <= value * CARRIED_VALUE_RATIO &&
          value <= worth * CARRIED_VALUE_RATIO;
        if (!doubled && !same) continue;
        visit(security[at] as number, () => ({
          gained: shareCount,
          target: shares,
          isDoubled: doubled,
          isOneValue: same,
        }));
      }
    }
  };
  return (left: readonly Holder[]): ReadonlyMap<number, readonly Gain[]> => {
    const found = new Map<number, Gain[]>();
    each(left, (security) => {
      (counts[security] as number) += 1;
    });
    each(left, (security, gain) => {
      if ((counts[security] as number) < MIN_CROWD_HOLDERS) return;
      const known = found.get(security);
      if (known === undefined) found.set(security, [gain()]);
      else known.push(gain());
    });
    counts.fill(0);
    return found;
  };
}

/** The securities of which a manager holds more than before, and by how much. Each manager is read once. */
function gainsOfManagers(
  { prior, current, names }: Pick<FiledQuarters, 'prior' | 'current' | 'names'>,
  splits: Splits,
) {
  const known = new Map<number, ReturnType<typeof gainsOf>>();
  /** The earlier shares of one manager; all zero between two. */
  const before = new Float64Array(names.securities.size());
  const gainsOf = (manager: number) => {
    const [then, now] = [prior.columns(), current.columns()];
    const [earlier, later] = [prior.rangeOf(manager), current.rangeOf(manager)];
    const rows: number[] = [];
    for (let row = earlier.from; row < earlier.to; row += 1) {
      // What is in doubt may have been more than what is held now.
      const [held, security] = [prior.amountOf(row), then.security[row] as number];
      before[security] = isSoundIn(then, row) ? held * (splits.get(security) ?? 1) : Number.POSITIVE_INFINITY;
    }
    const gainedIn = (row: number) => current.amountOf(row) - (before[now.security[row] as number] as number);
    for (let row = later.from; row < later.to; row += 1)
      if (gainedIn(row) > 0 && isSoundIn(now, row)) rows.push(row);
    const gained = Float64Array.from(rows, gainedIn);
    const gains = {
      gained,
      security: Int32Array.from(rows, (row) => now.security[row] as number),
      cents: Float64Array.from(
        rows,
        (row, at) => ((gained[at] as number) * current.centsOf(row)) / current.amountOf(row),
      ),
      isDoubled: Uint8Array.from(rows, (row, at) =>
        Number((gained[at] as number) * 2 > current.amountOf(row)),
      ),
    };
    for (let row = earlier.from; row < earlier.to; row += 1) before[then.security[row] as number] = 0;
    return gains;
  };
  return (manager: number) => {
    const gains = known.get(manager) ?? gainsOf(manager);
    known.set(manager, gains);
    return gains;
  };
}

/** The multiple that most holders gained within one share, if they are enough. Small gains are alike by chance. */
function exactlyAlike(gains: readonly Gain[]): Alike | null {
  const telling = gains.filter(({ isOneValue }) => isOneValue);
  const best = exactMultiple(telling);
  if (best.votes < MIN_CROWD_HOLDERS) return null;
  return { votes: best.votes, multiple: shortestBetween(best.low, best.high) };
}

/** The multiples that most holders have of the target within one share: from `low` to `high`. */
export function exactMultiple(gains: readonly Pick<Gain, 'gained' | 'target'>[]) {
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
function nearlyAlike(gains: readonly Gain[]): Pick<Given, 'alike' | 'nearMultiple'> | null {
  const telling = gains.filter(({ isDoubled }) => isDoubled);
  if (telling.length < MIN_CROWD_HOLDERS) return null;
  const multiples = Float64Array.from(telling, ({ gained, target }) => gained / target).sort();
  const median = medianOf(multiples);
  if (!isCrowdAt(multiples, median, MIN_CROWD_HOLDERS)) return null;
  const votes = countNear(multiples, median);
  return { alike: { votes, multiple: Number(median.toPrecision(3)) }, nearMultiple: median };
}
