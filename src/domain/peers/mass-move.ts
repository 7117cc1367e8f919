import type { Cusip } from '../ids.ts';
import { previousQuarterEnd } from '../quarter.ts';
import { type FiledQuarters, rowsOf, sharesOf } from './filed-quarter.ts';
import type { HolderMoves } from './holder-move.ts';
import { crowdIn, exactMultiple } from './stock-merger.ts';
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
  const [votes, kept] = [entered.length, throughout.prior.length];
  if (!isMass(votes, votes + kept)) return null;
  const { security: parentOf } = prior.columns();
  const multiples = new Map<number, Multiple[]>();
  for (const { cik, shares: gained } of entered.holders()) {
    const manager = names.managers.numberOf(cik);
    const held = sharesOf(current, manager);
    for (const row of rowsOf(prior, manager)) {
      const [security, target] = [parentOf[row] as number, prior.amountOf(row)];
      const own = multiples.get(security) ?? [];
      multiples.set(security, own);
      own.push({ gained, target, isKept: held.get(security) === target });
    }
  }
  const parents = [...multiples].flatMap(([security, own]) => {
    if (own.length < MIN_MASS_MOVE_HOLDERS) return [];
    const share = own.length / votes;
    if (share * 100 >= PARENT_PCT && crowdIn(own).votes >= MIN_MASS_MOVE_HOLDERS)
      return [{ security, share }];
    return isExactlyOne(own) ? [{ security, share: 1 }] : [];
  });
  return { action: { kind: 'mass_entry', cusip, votes, compared: votes + kept }, parents };
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

/** Whether enough holders have one multiple to the share, and did nothing else: however few of all they are. */
function isExactlyOne(multiples: readonly Multiple[]): boolean {
  const kept = multiples.filter(({ gained, isKept }) => isKept && gained >= MIN_EQUAL_SHARES);
  return exactMultiple(kept).votes >= MIN_MASS_MOVE_HOLDERS;
}
