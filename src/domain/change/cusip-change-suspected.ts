import { type Cusip, issuerOf } from '../ids.ts';
import { isMovedBy } from '../peers/holder-move.ts';
import { SPLIT_RATIOS, withoutScaleDoubt } from '../peers/split.ts';
import type { CusipChange } from '../peers/verdict.ts';
import { qualityOf } from '../quality/quality.ts';
import { keyText } from '../report/aggregate.ts';
import type { PositionChange } from '../report/report.ts';
import { ONE_FOR_ONE } from '../report/split-factor.ts';

/** Value now against value then, either way, of what may be one position (rule 5.4). */
export const CARRIED_VALUE_RATIO = 2;

/** Fewer shares are held in equal numbers by chance. */
export const MIN_TELLING_SHARES = 1_000n;
/** From so many on, with so many digits before the noughts, at whatever value: shares may come with cash. */
export const TELLING_SHARES = 10_000n;
export const TELLING_DIGITS = 4;
/** Of more pairs of an exit and a start, both the count and the value must tell: some counts are equal by chance. */
export const MANY_PAIRS = 10_000;
/** Lots that people buy: a count of them tells as much as its digits before the noughts do. */
const ROUND_LOT = 100n;
const MIN_DIGITS = 3;

/**
 * Marks, with `cusip_change_suspected`, changes that may be one position under two CUSIPs where no
 * vote restates it (rule 5.4): an exit and a start of one issuer with the same shares, those of any
 * two whose equal count is no chance (an issuer that is renamed gets new first digits), and rows of
 * a report that holds the old and the new CUSIP of a change in force. `inForce` are the changes of
 * this quarter and of those before that still count. Order and everything else stay.
 */
export function withSuspectedChanges(
  changes: readonly PositionChange[],
  inForce: readonly CusipChange[],
): readonly PositionChange[] {
  const suspected = new Set([...pairsOf(changes), ...twinsOf(changes), ...tornOf(changes, inForce)]);
  if (suspected.size === 0) return changes;
  return changes.map((change) => (suspected.has(change) ? marked(change) : change));
}

function marked(change: PositionChange): PositionChange {
  return { ...change, reasons: [...new Set([...change.reasons, 'cusip_change_suspected' as const])].sort() };
}

/** Sums of both would hide what moved where, so the two rows stay as filed, in doubt. */
function tornOf(changes: readonly PositionChange[], inForce: readonly CusipChange[]): PositionChange[] {
  if (inForce.length === 0) return [];
  const concerned = new Set<Cusip>(inForce.flatMap(({ cusip, from }) => [cusip, from]));
  const held = changes.filter((one) => one.unit === 'SH' && one.amount > 0n && concerned.has(one.cusip));
  const byKey = new Map(held.map((one) => [keyText(one), one]));
  return inForce.flatMap(({ cusip, from }) =>
    held.flatMap((old) => {
      const now = old.cusip === from ? byKey.get(keyText({ ...old, cusip })) : undefined;
      const isSettled = now === undefined || (now.change === 'HELD' && old.change === 'HELD');
      return isSettled ? [] : [old, now];
    }),
  );
}

/** Exits and starts of exactly as many shares. */
function twinsOf(changes: readonly PositionChange[]): PositionChange[] {
  const exits = changes.filter((exit) => exit.change === 'EXITED' && isEquity(exit));
  const starts = changes.filter((start) => start.change === 'NEW' && isEquity(start));
  const isTwin = exits.length * starts.length > MANY_PAIRS ? isSureTwin : isLikelyTwin;
  const byCount = new Map<bigint, PositionChange[]>();
  for (const start of starts) {
    if (start.amount < MIN_TELLING_SHARES) continue;
    byCount.set(start.amount, [...(byCount.get(start.amount) ?? []), start]);
  }
  return exits.flatMap((exit) => {
    const twins = (byCount.get(exit.priorAmount) ?? []).filter((start) => isTwin(exit, start));
    return twins.length === 0 ? [] : [exit, ...twins];
  });
}

function isLikelyTwin(exit: PositionChange, start: PositionChange): boolean {
  const isLot = start.amount % ROUND_LOT === 0n && digitsOf(start.amount) < MIN_DIGITS;
  return isTelling(start.amount) || (!isLot && isOneValue(exit, start));
}

function isSureTwin(exit: PositionChange, start: PositionChange): boolean {
  return isTelling(start.amount) && isOneValue(exit, start);
}

function isTelling(shares: bigint): boolean {
  return shares >= TELLING_SHARES && digitsOf(shares) >= TELLING_DIGITS;
}

/** Before the noughts. */
function digitsOf(shares: bigint): number {
  return String(shares).replace(/0+$/, '').length;
}

function isEquity({ unit, putCall, reasons }: PositionChange): boolean {
  return unit === 'SH' && putCall === null && qualityOf(reasons).status !== 'excluded';
}

/** Changes are in the order of their CUSIPs: those of one issuer stand together. */
function pairsOf(changes: readonly PositionChange[]): PositionChange[] {
  const found: PositionChange[] = [];
  let start = 0;
  for (let at = 1; at <= changes.length; at += 1) {
    const [first, next] = [changes[start], changes[at]];
    if (first && next && issuerOf(first.cusip) === issuerOf(next.cusip)) continue;
    if (at - start > 1) found.push(...pairsOfIssuer(changes.slice(start, at)));
    start = at;
  }
  return found;
}

/** Where an issuer, as a family of funds, has several of them, one ratio of many would soon fit by chance. */
function pairsOfIssuer(changes: readonly PositionChange[]): PositionChange[] {
  const equity = changes.filter(isEquity);
  const exits = equity.filter(({ change }) => change === 'EXITED');
  const starts = equity.filter(({ change }) => change === 'NEW');
  const factors = exits.length === 1 && starts.length === 1 ? [ONE_FOR_ONE, ...SPLIT_RATIOS] : [ONE_FOR_ONE];
  return exits.flatMap((exit) =>
    starts
      .filter((start) => {
        const shares = { prior: Number(exit.priorAmount), amount: Number(start.amount) };
        return isOneValue(exit, start) && factors.some((factor) => isMovedBy(shares, factor));
      })
      .flatMap((start) => [exit, start]),
  );
}

/** A value that is not known speaks against nothing, nor do thousands where a unit is in doubt. */
function isOneValue(exit: PositionChange, start: PositionChange): boolean {
  if (exit.priorValueCents <= 0n || start.valueCents <= 0n) return true;
  const moved = Number(start.valueCents) / Number(exit.priorValueCents);
  const ratio = withoutScaleDoubt(moved, { reasons: [...exit.reasons, ...start.reasons] });
  return ratio <= CARRIED_VALUE_RATIO && ratio >= 1 / CARRIED_VALUE_RATIO;
}
