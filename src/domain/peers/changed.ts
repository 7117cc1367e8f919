import type { Moment } from '../columns/columns.ts';
import type { FiledQuarter, FiledQuarters } from './filed-quarter.ts';

/** When each of the three quarters was seen the last time. */
export type Seen = Readonly<Record<'prior' | 'current' | 'next', Moment>>;

/** What differs from the quarters as they were seen: numbers of managers and of securities. */
export type Changed = {
  /** Nothing was remembered: these are all. */
  readonly isWhole: boolean;
  /** With another report in any of the quarters. */
  readonly managers: ReadonlySet<number>;
  /** With other rows in the quarter itself. */
  readonly current: readonly number[];
  /** With other rows in the quarter itself or the one before. */
  readonly compared: readonly number[];
  /** With other rows in the quarter before or after. */
  readonly beside: readonly number[];
};

export function seenOf({ prior, current, next }: FiledQuarters): Seen {
  return { prior: prior.now(), current: current.now(), next: next.now() };
}

export function changedSince({ prior, current, next, names }: FiledQuarters, seen: Seen | null): Changed {
  const before = prior.changesSince(seen?.prior ?? null);
  const now = current.changesSince(seen?.current ?? null);
  const after = next.changesSince(seen?.next ?? null);
  if (before === null || now === null || after === null) {
    const all = Array.from({ length: names.securities.size() }, (_, security) => security);
    const managers = Array.from({ length: names.managers.size() }, (_, manager) => manager);
    return { isWhole: true, managers: new Set(managers), current: all, compared: all, beside: all };
  }
  const either = (a: readonly number[], b: readonly number[]) => [...new Set([...a, ...b])];
  return {
    isWhole: false,
    managers: new Set([...before.managers, ...now.managers, ...after.managers]),
    current: now.securities,
    compared: either(before.securities, now.securities),
    beside: either(before.securities, after.securities),
  };
}

/** What the reports of the managers list, as often as they list it. */
export function* securitiesIn(quarter: FiledQuarter, managers: Iterable<number>): Generator<number> {
  const { security } = quarter.columns();
  for (const manager of managers) {
    const { from, to } = quarter.rangeOf(manager);
    for (let row = from; row < to; row += 1) yield security[row] as number;
  }
}
