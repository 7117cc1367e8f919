import { compareKeys } from '../report/aggregate.ts';
import type { PositionKey } from '../report/report.ts';

/** What becomes of a key that is in one list alone, or in both. */
export type Meetings<Now, Before, Found> = {
  readonly entered: (now: Now) => Found;
  readonly left: (before: Before) => Found;
  readonly stayed: (now: Now, before: Before) => Found;
};

/**
 * All keys of two lists, each in the order of {@link compareKeys} and without a key twice, in that order.
 * One linear pass, without a map or a text for each key.
 */
export function mergeByKey<Now extends PositionKey, Before extends PositionKey, Found>(
  current: readonly Now[],
  prior: readonly Before[],
  { entered, left, stayed }: Meetings<Now, Before, Found>,
): Found[] {
  const found: Found[] = [];
  let p = 0;
  for (const now of current) {
    let before = prior[p];
    let order = before === undefined ? 1 : compareKeys(before, now);
    while (before !== undefined && order < 0) {
      found.push(left(before));
      p += 1;
      before = prior[p];
      order = before === undefined ? 1 : compareKeys(before, now);
    }
    if (before !== undefined && order === 0) {
      found.push(stayed(now, before));
      p += 1;
    } else found.push(entered(now));
  }
  for (const before of prior.slice(p)) found.push(left(before));
  return found;
}
