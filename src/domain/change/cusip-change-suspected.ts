import { countBy, groupBy } from '../group.ts';
import { type Cusip, isOneIssuer } from '../ids.ts';
import { withoutScaleDoubt } from '../peers/split.ts';
import { CARRIED_VALUE_RATIO, MIN_EQUAL_SHARES } from '../peers/thresholds.ts';
import type { CusipChange, SuspectedCusipChange } from '../peers/verdict.ts';
import { mergeReasons, qualityOf } from '../quality/quality.ts';
import { keyText } from '../report/aggregate.ts';
import { isEquity, type PositionChange } from '../report/report.ts';
import { classInTitle, isOtherThanCommon } from '../security/class.ts';
import { agreeInFull, issuerKey, namingWord, namingWords } from '../security/issuer-name.ts';
import type { CorporateActionsByCusip } from './restate.ts';
import { LARGE_REPORT, LARGE_ROUND_LOT, SMALL_ROUND_LOT, TRADED_VALUE_RATIO } from './thresholds.ts';

type Pair = { readonly exit: PositionChange; readonly start: PositionChange };

/**
 * Adds `cusip_change_suspected` to changes that may be one position under two CUSIPs (rule 5.4): an exit and a
 * start that look alike, or between two CUSIPs that peers suspect; rows of a report that holds both the old
 * and the new CUSIP of a change in force.
 *
 * @param earlier CUSIP changes of earlier quarters that still count
 */
export function withSuspectedChanges(
  changes: readonly PositionChange[],
  { changes: renamed, doubted }: Pick<CorporateActionsByCusip, 'changes' | 'doubted'>,
  earlier: readonly CusipChange[],
): readonly PositionChange[] {
  const pairs = [...pairsAmong(changes), ...pairsOf(changes, doubted)];
  const suspected = new Set([
    ...pairs.flatMap(({ exit, start }) => [exit, start]),
    ...bothHeldOf(changes, [...renamed, ...earlier]),
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
      return start === undefined ? [] : [{ exit, start }];
    }),
  );
}

/** Exits and starts of equal counts and value, or with an issuer's only start; not of two funds of one trust. */
function pairsAmong(changes: readonly PositionChange[]): Pair[] {
  const exits = changes.filter((one) => one.change === 'EXITED' && isComparedEquity(one));
  const starts = changes.filter((one) => one.change === 'NEW' && isComparedEquity(one));
  const ends = { exits, starts };
  const byCount = groupBy(starts, ({ amount }) => String(amount));
  const lot = changes.length > LARGE_REPORT ? LARGE_ROUND_LOT : SMALL_ROUND_LOT;
  const equal = exits.flatMap((exit) =>
    (byCount.get(String(exit.priorAmount)) ?? [])
      .map((start) => ({ exit, start }))
      .filter((pair) => isLikely(pair, lot)),
  );
  return [
    ...equal.filter((pair) => isValueWithin(pair, CARRIED_VALUE_RATIO)),
    ...[...issuerPairs(changes, ends), ...titledPairs(changes, ends)].filter(
      (pair) => isOneIssuer(pair.exit.cusip, pair.start.cusip) || isValueWithin(pair, TRADED_VALUE_RATIO),
    ),
    ...renamedPairs(changes, ends).filter((pair) => isValueWithin(pair, CARRIED_VALUE_RATIO)),
  ].filter((pair) => !areTwoFunds(pair));
}

function isComparedEquity(change: PositionChange): boolean {
  return isEquity(change) && qualityOf(change.reasons).status !== 'excluded';
}

/** Two companies have equal counts by chance where these are small or round. */
function isLikely({ exit, start }: Pair, lot: bigint): boolean {
  if (isOneIssuer(exit.cusip, start.cusip)) return true;
  return start.amount >= MIN_EQUAL_SHARES && start.amount % lot !== 0n;
}

type Ends = Readonly<Record<'exits' | 'starts', readonly PositionChange[]>>;

/**
 * What was started of an issuer and what was left of it, whatever the counts: the holder may have traded too, and all
 * classes may change at once. By the name alone only its one start. Nothing tells where a trust keeps another fund of
 * such a title, or a company two more: one report calls all its securities `CMN`.
 */
function issuerPairs(changes: readonly PositionChange[], { exits, starts }: Ends): Pair[] {
  const pairs = [digitsOf, nameOf].flatMap((issuer) => {
    const entered = groupBy(starts, issuer);
    return exits.flatMap((exit): Pair[] => {
      const own = entered.get(issuer(exit)) ?? [];
      const likely = issuer === digitsOf || own.length === 1 ? own : [];
      return likely
        .map((start) => ({ exit, start }))
        .filter((pair) => !areTwoFunds(pair) && !areTwoClasses(pair));
    });
  });
  // Most reports have none, and a key of each of their rows costs more than the rest.
  if (pairs.length === 0) return pairs;
  const kept = changes.filter((one) => isEquity(one) && one.amount > 0n && one.change !== 'NEW');
  const staying = countBy(kept.flatMap(titledKeys), (key) => key);
  // Once a row: a fund's sponsor may have hundreds of pairs with each.
  const mostBeside = (one: PositionChange) =>
    Math.max(...titledKeys(one).map((key) => staying.get(key) ?? 0));
  const beside = new Map([...exits, ...starts].map((one) => [one, mostBeside(one)]));
  return pairs.filter((pair) => {
    const others = Math.max(beside.get(pair.exit) ?? 0, beside.get(pair.start) ?? 0);
    return others < (isOfTrust(pair) ? 1 : 2);
  });
}

/** Its issuer, by digits and by name, each with its title. */
function titledKeys(change: PositionChange): string[] {
  return [digitsOf, nameOf].map((issuer) => `${issuer(change)}|${titleOf(change)}`);
}

/**
 * An exit and a start that alone of the report have their title, `CL A LTD VT SH`, and whose names agree:
 * Brookfield Asset Management gave its ticker away when it became Brookfield Corporation.
 */
function titledPairs(changes: readonly PositionChange[], ends: Ends): Pair[] {
  const found = alonePairs(changes, ends, titleOf);
  // `THE CO` and `A` name no issuer.
  return found.filter(
    ({ exit, start }) => issuerKey(exit.issuer) !== '' && agreeInFull(exit.issuer, start.issuer),
  );
}

/**
 * An exit and a start whose names alone of the report begin with their word: Jacobs Engineering became Jacobs
 * Solutions under other digits.
 */
function renamedPairs(changes: readonly PositionChange[], ends: Ends): Pair[] {
  const found = [namingWord, namingWords].flatMap((beginningOf) =>
    alonePairs(changes, ends, ({ issuer }) => beginningOf(issuer)),
  );
  return found.filter((pair) => !areTwoClasses(pair));
}

/** The exits and starts that alone of the report have their key; an empty one is no key. */
function alonePairs(
  changes: readonly PositionChange[],
  { exits, starts }: Ends,
  keyOf: (change: PositionChange) => string,
): Pair[] {
  const entered = groupBy(starts, keyOf);
  const pairs = exits.flatMap((exit): Pair[] => {
    const key = keyOf(exit);
    const [start, second] = key === '' ? [] : (entered.get(key) ?? []);
    return start === undefined || second !== undefined ? [] : [{ exit, start }];
  });
  // A key of each row costs more than the rest.
  if (pairs.length === 0) return pairs;
  const all = countBy(changes.filter(isEquity), keyOf);
  return pairs.filter(({ exit }) => all.get(keyOf(exit)) === 2);
}

const titleOf = ({ titleOfClass }: PositionChange): string => titleOfClass.toUpperCase();
const digitsOf = ({ cusip }: PositionChange): string => cusip.slice(0, 6);
/** A move to another country or a new holding company changes the digits. */
const nameOf = ({ issuer, cusip }: PositionChange): string => issuerKey(issuer) || cusip;

/** `*W EXP 02/02/202`: how reports name a warrant. */
const isShare = (title: string): boolean => !title.startsWith('*W') && !isOtherThanCommon(title);

/** Nor does a share become a warrant, a right, a unit or a preferred share of its issuer. */
function areTwoClasses({ exit, start }: Pair): boolean {
  if (exit.titleOfClass === start.titleOfClass) return false;
  if (isShare(exit.titleOfClass) !== isShare(start.titleOfClass)) return true;
  const [old, now] = [classInTitle(exit.titleOfClass), classInTitle(start.titleOfClass)];
  return old !== null && now !== null && old !== now;
}

const SHARE_WORD =
  /\b(?:ORD|SPON|(?:COM|COMMON|CMN|CS|SHS?|SHARES?|ST(?:OC)?K|CL[A-C]?|CLASS|SER|AD[RS]S?|UNITS?|LP|NEW|CAP|NAMEN)\b)/;

/** `ISHARES INC`, `VANGUARD INTL EQUITY INDEX F`; not `NEW YORK MTG TR INC`, a company. */
const FUND = /\b(?:TR|TRUST)\b(?! INC\b)|\b(?:FDS?|FUNDS?|ETFS?|ISHARES|INDEX|EXCHANGE TRADED)\b/i;

function isOfTrust({ exit, start }: Pair): boolean {
  return FUND.test(exit.issuer) || FUND.test(start.issuer);
}

/** One trust has hundreds of funds under its digits, and a bank its notes, whose titles name them. */
function areTwoFunds(pair: Pair): boolean {
  const titles = [pair.exit, pair.start].map(titleOf);
  return titles[0] !== titles[1] && (isOfTrust(pair) || titles.some(isOwnName));
}

/** `BIG OIL INDX 3X`: no word of it is a kind of share. An empty title names nothing. */
function isOwnName(title: string): boolean {
  return title !== '' && isShare(title) && !SHARE_WORD.test(title);
}

/** An unknown value never contradicts. When a scale is in doubt, a factor of a thousand does not either. */
function isValueWithin({ exit, start }: Pair, most: number): boolean {
  if (exit.priorValueCents <= 0n || start.valueCents <= 0n) return true;
  const moved = Number(start.valueCents) / Number(exit.priorValueCents);
  const ratio = withoutScaleDoubt(moved, { reasons: [...exit.reasons, ...start.reasons] });
  return ratio <= most && ratio >= 1 / most;
}
