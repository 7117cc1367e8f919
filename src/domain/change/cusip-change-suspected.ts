import { type Cusip, isOneIssuer } from '../ids.ts';
import { isMovedBy, numberOf, SPLIT_RATIOS, withoutScaleDoubt } from '../peers/split.ts';
import { CARRIED_VALUE_RATIO } from '../peers/thresholds.ts';
import type { CusipChange } from '../peers/verdict.ts';
import { mergeReasons, qualityOf } from '../quality/quality.ts';
import { keyText } from '../report/aggregate.ts';
import { isEquity, ONE_FOR_ONE, type PositionChange } from '../report/report.ts';

/**
 * Adds `cusip_change_suspected` to changes that may be one position under two CUSIPs (rule 5.4):
 * - an exit and a start of one issuer with the same shares;
 * - rows of a report that holds both the old and the new CUSIP of a change in force.
 *
 * @param inForce the CUSIP changes of this quarter, and earlier ones that still count
 */
export function withSuspectedChanges(
  changes: readonly PositionChange[],
  inForce: readonly CusipChange[],
): readonly PositionChange[] {
  const suspected = new Set([...pairsOf(changes), ...bothHeldOf(changes, inForce)]);
  if (suspected.size === 0) return changes;
  return changes.map((change) => (suspected.has(change) ? marked(change) : change));
}

function marked(change: PositionChange): PositionChange {
  return { ...change, reasons: mergeReasons(change.reasons, ['cusip_change_suspected']) };
}

/** A sum would hide what moved, so the two rows stay as filed and are marked. */
function bothHeldOf(changes: readonly PositionChange[], inForce: readonly CusipChange[]): PositionChange[] {
  if (inForce.length === 0) return [];
  const concerned = new Set<Cusip>(inForce.flatMap(({ cusip, from }) => [cusip, from]));
  const held = changes.filter(
    (one) => one.amountType === 'SH' && one.amount > 0n && concerned.has(one.cusip),
  );
  const byKey = new Map(held.map((one) => [keyText(one), one]));
  return inForce.flatMap(({ cusip, from }) =>
    held.flatMap((old) => {
      const now = old.cusip === from ? byKey.get(keyText({ ...old, cusip })) : undefined;
      const isSettled = now === undefined || (now.change === 'HELD' && old.change === 'HELD');
      return isSettled ? [] : [old, now];
    }),
  );
}

function isComparedEquity(change: PositionChange): boolean {
  return isEquity(change) && qualityOf(change.reasons).status !== 'excluded';
}

/** Changes are in the order of their CUSIPs, so those of one issuer are adjacent: no map of all issuers. */
function pairsOf(changes: readonly PositionChange[]): PositionChange[] {
  // A tenth of most reports.
  const ends = changes.filter(({ change }) => change === 'EXITED' || change === 'NEW');
  const found: PositionChange[] = [];
  for (let [start, at] = [0, 0]; at < ends.length; at += 1) {
    const [one, next] = [ends[at], ends[at + 1]];
    if (one !== undefined && next !== undefined && isOneIssuer(one.cusip, next.cusip)) continue;
    // Almost no issuer has two.
    if (at > start) found.push(...pairsOfIssuer(ends.slice(start, at + 1)));
    start = at + 1;
  }
  return found;
}

/** With several exits or starts, as in a family of funds, one of many ratios fits by chance: 1 to 1 only. */
function pairsOfIssuer(changes: readonly PositionChange[]): PositionChange[] {
  const equity = changes.filter(isComparedEquity);
  const exits = equity.filter(({ change }) => change === 'EXITED');
  const starts = equity.filter(({ change }) => change === 'NEW');
  const factors = exits.length === 1 && starts.length === 1 ? [ONE_FOR_ONE, ...SPLIT_RATIOS] : [ONE_FOR_ONE];
  return exits.flatMap((exit) =>
    starts
      .filter((start) => {
        const shares = { prior: Number(exit.priorAmount), amount: Number(start.amount) };
        return isOneValue(exit, start) && factors.some((factor) => isMovedBy(shares, numberOf(factor)));
      })
      .flatMap((start) => [exit, start]),
  );
}

/** An unknown value never contradicts. When a scale is in doubt, a factor of a thousand does not either. */
function isOneValue(exit: PositionChange, start: PositionChange): boolean {
  if (exit.priorValueCents <= 0n || start.valueCents <= 0n) return true;
  const moved = Number(start.valueCents) / Number(exit.priorValueCents);
  const ratio = withoutScaleDoubt(moved, { reasons: [...exit.reasons, ...start.reasons] });
  return ratio <= CARRIED_VALUE_RATIO && ratio >= 1 / CARRIED_VALUE_RATIO;
}
