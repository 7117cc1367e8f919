import type { HoldersThroughout } from './holder-move.ts';
import { exactFactor, isSmallSplit, isTelling } from './split.ts';
import { SMALL_SPLIT_TOLERANCE, STILL_PART, TRADED_PART } from './thresholds.ts';

export type Counts = ReturnType<typeof countsOf>;

/** How holders' counts moved in the quarter. */
export function countsOf({ prior, amount }: HoldersThroughout) {
  const ratios = Float64Array.from(amount, (now, at) => now / (prior[at] as number)).sort();
  const between = (from: number, to: number) => placeOf(ratios, to, true) - placeOf(ratios, from, false);
  const within = (factor: number, part: number) => between(factor / (1 + part), factor * (1 + part));
  const still = within(1, STILL_PART);
  let exact: ReturnType<typeof exactCounts> | null = null;
  const exactly = (factor: number) => {
    exact ??= exactCounts({ prior, amount });
    return exact.get(factor) ?? { all: 0, telling: 0 };
  };
  return {
    ratios,
    holders: ratios.length,
    still,
    /** No more can have moved by a factor than stood still. */
    isCalm: still * 2 >= ratios.length,
    unchanged: between(1, 1),
    near: (factor: number) => within(factor, isSmallSplit(factor) ? SMALL_SPLIT_TOLERANCE : TRADED_PART),
    closely: (factor: number) => within(factor, STILL_PART),
    exact: (factor: number) => exactly(factor).all,
    /** Who buys round counts doubles exactly, too. */
    tellingly: (factor: number) => exactly(factor).telling,
  };
}

/** How many sorted ratios are below the bound, or up to it. */
function placeOf(ratios: Float64Array, bound: number, isIncluded: boolean): number {
  let [low, high] = [0, ratios.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const ratio = ratios[middle] as number;
    if (ratio < bound || (isIncluded && ratio === bound)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many holders' counts are to the share those of a factor, and of how many that is no chance. */
function exactCounts({ prior, amount }: Pick<HoldersThroughout, 'prior' | 'amount'>) {
  const counts = new Map<number, { all: number; telling: number }>();
  for (const [at, before] of prior.entries()) {
    const now = amount[at] as number;
    const factor = exactFactor({ prior: before, amount: now });
    if (factor === null) continue;
    const { all, telling } = counts.get(factor) ?? { all: 0, telling: 0 };
    counts.set(factor, {
      all: all + 1,
      telling: telling + Number(isTelling({ prior: before, amount: now }, factor)),
    });
  }
  return counts;
}
