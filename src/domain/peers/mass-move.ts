import type { Cusip } from '../ids.ts';
import { previousQuarterEnd } from '../quarter.ts';
import { isCrowdAt } from './crowd.ts';
import type { FiledQuarters } from './filed-quarter.ts';
import type { HolderMoves } from './holder-move.ts';
import { medianOf } from './price.ts';
import { exactMultiple } from './stock-merger.ts';
import {
  MASS_MOVE_PCT,
  MIN_EQUAL_SHARES,
  MIN_MASS_MOVE_HOLDERS,
  PARENT_PCT,
  PARENT_TIMES,
} from './thresholds.ts';
import type { MassEntry, MassExit } from './verdict.ts';

/** Whether nearly all holders left the security at once, as in a merger or a delisting (rule 4.9). */
export function massExitFrom(cusip: Cusip, { left, throughout }: HolderMoves): MassExit | null {
  const compared = left.length + throughout.prior.length;
  return isMass(left.length, compared) ? { kind: 'mass_exit', cusip, votes: left.length, compared } : null;
}

function isMass(moved: number, compared: number): boolean {
  return moved >= MIN_MASS_MOVE_HOLDERS && moved * 100 >= compared * MASS_MOVE_PCT;
}

/** What its holders hold of a new security, by their numbers. */
type Shares = ReadonlyMap<number, number>;

/**
 * A security that nearly all of its holders entered at once, and the securities that most of them held before,
 * of which they hold one multiple now: each with its part of the new holders.
 */
export type Entered = {
  readonly action: MassEntry;
  readonly parents: readonly { readonly security: number; readonly share: number }[];
};

/** Null where too few holders entered. */
export function enteredBy(
  { prior, current, names }: FiledQuarters,
  cusip: Cusip,
  { throughout, entered }: HolderMoves,
): Entered | null {
  const kept = throughout.prior.length;
  if (!isMass(entered.length, entered.length + kept)) return null;
  const given = new Map(entered.holders().map(({ cik, shares }) => [names.managers.numberOf(cik), shares]));
  const parents = [...multiplesOf(given, prior, current)].flatMap(([security, multiples]) => {
    const share = multiples.length / given.size;
    if (isOneMultiple(multiples, share)) return [{ security, share }];
    return isExactlyOne(multiples) ? [{ security, share: 1 }] : [];
  });
  const votes = given.size;
  const action: MassEntry = { kind: 'mass_entry', cusip, votes, compared: votes + kept };
  return { action, parents };
}

/**
 * Whether its holders were given it for another security, as in a spin-off (rule 4.9): more of them held that one
 * than other managers do. Buyers of an offering hold the same stocks too, but at no common multiple.
 * @param shareOf the part of all managers that held a security before
 */
export function isSpinOff({ parents }: Entered, shareOf: (security: number) => number): boolean {
  return parents.some(({ security, share }) => share >= shareOf(security) * PARENT_TIMES);
}

/**
 * What few managers entered in the quarter in which it was new on the market: they are too few to show whether it was
 * given to them, as in a spin-off (rule 4.9).
 */
export function newListingEnteredBy(
  { market, quarterEnd }: FiledQuarters,
  cusip: Cusip,
  { throughout, entered }: HolderMoves,
): MassEntry | null {
  const votes = entered.length;
  if (votes === 0 || votes >= MIN_MASS_MOVE_HOLDERS || throughout.prior.length > 0) return null;
  const listedOn = market.listedOn(cusip);
  const isNew = listedOn !== null && listedOn > previousQuarterEnd(quarterEnd) && listedOn <= quarterEnd;
  return isNew ? { kind: 'mass_entry', cusip, votes, compared: votes, listedOn } : null;
}

/** Shares of the new one, those of a security held before, and whether as many are held now. */
type Multiple = { readonly gained: number; readonly target: number; readonly isKept: boolean };

/** For each security that its holders held before, what they hold of the new one for it. */
function multiplesOf(
  given: Shares,
  prior: FiledQuarters['prior'],
  current: FiledQuarters['current'],
): Map<number, Multiple[]> {
  const [{ security }, now] = [prior.columns(), current.columns().security];
  const multiples = new Map<number, Multiple[]>();
  for (const [manager, gained] of given) {
    const [then, range] = [prior.rangeOf(manager), current.rangeOf(manager)];
    const held = new Map<number, number>();
    for (let row = range.from; row < range.to; row += 1) held.set(now[row] as number, current.amountOf(row));
    for (let row = then.from; row < then.to; row += 1) {
      const [parent, target] = [security[row] as number, prior.amountOf(row)];
      const known = multiples.get(parent);
      const multiple = { gained, target, isKept: held.get(parent) === target };
      if (known === undefined) multiples.set(parent, [multiple]);
      else known.push(multiple);
    }
  }
  return multiples;
}

/** Whether most of the new holders held it, and most of them at one multiple. */
function isOneMultiple(multiples: readonly Multiple[], share: number): boolean {
  if (share * 100 < PARENT_PCT) return false;
  const sorted = Float64Array.from(multiples, ({ gained, target }) => gained / target).sort();
  return isCrowdAt(sorted, medianOf(sorted), MIN_MASS_MOVE_HOLDERS);
}

/** Whether enough holders have one multiple to the share, and did nothing else: however few of all they are. */
function isExactlyOne(multiples: readonly Multiple[]): boolean {
  const kept = multiples.filter(({ gained, isKept }) => isKept && gained >= MIN_EQUAL_SHARES);
  return kept.length >= MIN_MASS_MOVE_HOLDERS && exactMultiple(kept).votes >= MIN_MASS_MOVE_HOLDERS;
}
