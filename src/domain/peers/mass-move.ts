import type { Cusip } from '../ids.ts';
import { isCrowdAt } from './crowd.ts';
import type { FiledQuarters } from './filed-quarter.ts';
import type { HolderMoves } from './holder-move.ts';
import { medianOf } from './price.ts';
import { MASS_MOVE_PCT, MIN_MASS_MOVE_HOLDERS, PARENT_PCT, PARENT_TIMES } from './thresholds.ts';
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
  { prior, names }: FiledQuarters,
  cusip: Cusip,
  { throughout, entered }: HolderMoves,
): Entered | null {
  const kept = throughout.prior.length;
  if (!isMass(entered.length, entered.length + kept)) return null;
  const given = new Map(entered.holders().map(({ cik, shares }) => [names.managers.numberOf(cik), shares]));
  const parents = [...multiplesOf(given, prior)].flatMap(([security, multiples]) => {
    const share = multiples.length / given.size;
    return isOneMultiple(multiples, share) ? [{ security, share }] : [];
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

/** For each security that its holders held before, the shares of the new one for each share of it. */
function multiplesOf(given: Shares, prior: FiledQuarters['prior']): Map<number, number[]> {
  const { security } = prior.columns();
  const multiples = new Map<number, number[]>();
  for (const [manager, shares] of given) {
    const { from, to } = prior.rangeOf(manager);
    for (let row = from; row < to; row += 1) {
      const parent = security[row] as number;
      const known = multiples.get(parent);
      const multiple = shares / prior.amountOf(row);
      if (known === undefined) multiples.set(parent, [multiple]);
      else known.push(multiple);
    }
  }
  return multiples;
}

/** Whether most of the new holders held it, and most of them at one multiple. */
function isOneMultiple(multiples: readonly number[], share: number): boolean {
  if (share * 100 < PARENT_PCT) return false;
  const sorted = Float64Array.from(multiples).sort();
  return isCrowdAt(sorted, medianOf(sorted), MIN_MASS_MOVE_HOLDERS);
}
