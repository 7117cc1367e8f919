import { groupBy } from '../group.ts';
import { type Cusip, isOneIssuer } from '../ids.ts';
import { isMovedBy, numberOf, SPLIT_FACTORS, withoutScaleDoubt } from '../peers/split.ts';
import { CARRIED_VALUE_RATIO, MIN_EQUAL_SHARES } from '../peers/thresholds.ts';
import type { CusipChange, SuspectedCusipChange } from '../peers/verdict.ts';
import { mergeReasons, qualityOf } from '../quality/quality.ts';
import { keyText } from '../report/aggregate.ts';
import { isEquity, type PositionChange } from '../report/report.ts';
import { compareNames } from '../security/issuer-name.ts';
import { LARGE_REPORT, LARGE_ROUND_LOT, SMALL_ROUND_LOT } from './thresholds.ts';

type Pair = { readonly exit: PositionChange; readonly start: PositionChange };

/**
 * Adds `cusip_change_suspected` to changes that may be one position under two CUSIPs (rule 5.4): an exit and a
 * start that look alike, or between two CUSIPs that peers suspect; rows of a report that holds both the old
 * and the new CUSIP of a change in force.
 *
 * @param inForce the CUSIP changes of this quarter, and earlier ones that still count
 * @param doubted what the filers of the quarter suspect
 */
export function withSuspectedChanges(
  changes: readonly PositionChange[],
  inForce: readonly CusipChange[],
  doubted: readonly SuspectedCusipChange[],
): readonly PositionChange[] {
  const pairs = [...pairsAmong(changes), ...pairsOf(changes, doubted)];
  const suspected = new Set([
    ...pairs.flatMap(({ exit, start }) => [exit, start]),
    ...bothHeldOf(changes, inForce),
  ]);
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

/** Exits from the one and starts of the other CUSIP of a change that peers suspect. */
function pairsOf(changes: readonly PositionChange[], doubted: readonly SuspectedCusipChange[]): Pair[] {
  if (doubted.length === 0) return [];
  const starts = new Map(changes.filter(({ change }) => change === 'NEW').map((one) => [keyText(one), one]));
  const exits = changes.filter(({ change }) => change === 'EXITED');
  return doubted.flatMap(({ from, cusip }) =>
    exits.flatMap((exit): Pair[] => {
      const start = exit.cusip === from ? starts.get(keyText({ ...exit, cusip })) : undefined;
      const isPair = start !== undefined && !areTwoFunds({ exit, start }) && isOneKind({ exit, start });
      return isPair ? [{ exit, start }] : [];
    }),
  );
}

const OTHER_KIND = /^\*W|\b(?:WTS?|WARRANTS?|RTS?|RIGHTS?|UNITS?|PFD)\b|\bPREF/i;

/** No share becomes a warrant, a right, a unit or a preferred share of its issuer by a new CUSIP. */
function isOneKind({ exit, start }: Pair): boolean {
  return OTHER_KIND.test(exit.titleOfClass) === OTHER_KIND.test(start.titleOfClass);
}

/** Exits and starts of equal counts, or of one issuer's only two at a split's; not of two funds of one trust. */
function pairsAmong(changes: readonly PositionChange[]): Pair[] {
  const ends = changes
    .filter(({ change }) => change === 'EXITED' || change === 'NEW')
    .filter(isComparedEquity);
  const [exits, starts] = [
    ends.filter(({ change }) => change === 'EXITED'),
    ends.filter(({ change }) => change === 'NEW'),
  ];
  const byCount = groupBy(starts, ({ amount }) => String(amount));
  const lot = changes.length > LARGE_REPORT ? LARGE_ROUND_LOT : SMALL_ROUND_LOT;
  const equal = exits.flatMap((exit) =>
    (byCount.get(String(exit.priorAmount)) ?? [])
      .map((start) => ({ exit, start }))
      .filter((pair) => isLikely(pair, lot)),
  );
  return [...equal, ...splitPairs(exits, starts)].filter((pair) => isOneValue(pair) && !areTwoFunds(pair));
}

function isComparedEquity(change: PositionChange): boolean {
  return isEquity(change) && qualityOf(change.reasons).status !== 'excluded';
}

/** Two companies have equal counts by chance where these are small or round. */
function isLikely({ exit, start }: Pair, lot: bigint): boolean {
  if (isOneIssuer(exit.cusip, start.cusip)) return true;
  if (start.amount < MIN_EQUAL_SHARES) return false;
  return start.amount % lot !== 0n || compareNames(exit.issuer, start.issuer) === 'same';
}

/** With several exits or starts of an issuer, one of many ratios fits by chance. */
function splitPairs(exits: readonly PositionChange[], starts: readonly PositionChange[]): Pair[] {
  const digits = ({ cusip }: PositionChange) => cusip.slice(0, 6);
  const [left, entered] = [groupBy(exits, digits), groupBy(starts, digits)];
  return [...left].flatMap(([issuer, [exit, another]]): Pair[] => {
    const [start, second] = entered.get(issuer) ?? [];
    if (exit === undefined || start === undefined || another !== undefined || second !== undefined) return [];
    const shares = { prior: Number(exit.priorAmount), amount: Number(start.amount) };
    return SPLIT_FACTORS.some((factor) => isMovedBy(shares, numberOf(factor))) ? [{ exit, start }] : [];
  });
}

const FUND = /\b(TR|TRUST|FD|FDS|FUNDS?|ETFS?)\b/i;
/** The title of a company's share, as of a trust that owns real estate. */
const SHARE = /^(?:COM|SHS|ORD|SH BEN|SPON|AD[SR])/i;

/** One trust has hundreds of funds under its digits, whose titles name them. */
function areTwoFunds({ exit, start }: Pair): boolean {
  const isTrust = FUND.test(exit.issuer) || FUND.test(start.issuer);
  const areShares = SHARE.test(exit.titleOfClass) && SHARE.test(start.titleOfClass);
  return isTrust && !areShares && exit.titleOfClass.toUpperCase() !== start.titleOfClass.toUpperCase();
}

/** An unknown value never contradicts. When a scale is in doubt, a factor of a thousand does not either. */
function isOneValue({ exit, start }: Pair): boolean {
  if (exit.priorValueCents <= 0n || start.valueCents <= 0n) return true;
  const moved = Number(start.valueCents) / Number(exit.priorValueCents);
  const ratio = withoutScaleDoubt(moved, { reasons: [...exit.reasons, ...start.reasons] });
  return ratio <= CARRIED_VALUE_RATIO && ratio >= 1 / CARRIED_VALUE_RATIO;
}
