import type { Cusip } from '../ids.ts';
import { isCrowdAt } from './crowd.ts';
import type { FiledQuarters } from './filed-quarter.ts';
import type { HolderMoves } from './holder-move.ts';
import { medianOf } from './price.ts';
import { MASS_MOVE_PCT, MIN_MASS_MOVE_HOLDERS, PARENT_PCT, PARENT_TIMES } from './thresholds.ts';
import type { MassEntry, MassExit } from './verdict.ts';

/** Whether nearly all holders left the security at once, as in a merger or a delisting (rule 4.9). */
export function massExitFrom(cusip: Cusip, { left, throughout }: HolderMoves): MassExit | null {
  const compared = left.length + throughout.managers.length;
  return isMass(left.length, compared) ? { kind: 'mass_exit', cusip, votes: left.length, compared } : null;
}

function isMass(moved: number, compared: number): boolean {
  return moved >= MIN_MASS_MOVE_HOLDERS && moved * 100 >= compared * MASS_MOVE_PCT;
}

/** What its holders hold of a new security, by their numbers. */
type Shares = ReadonlyMap<number, number>;

/**
 * Finds new securities that were given to the holders of another one, as in a spin-off (rule 4.9): those
 * who were given a security hold one multiple of what they held of its parent. Buyers of an offering hold
 * the same stocks too, but at no common multiple.
 * @param managers number of managers with two comparable reports
 */
export function spinOffs({ prior, names }: FiledQuarters, managers: number) {
  const holdersBefore = new Map<number, number>();
  const found: { readonly given: Shares; readonly action: MassEntry }[] = [];
  return {
    add: (security: number, { throughout, left, entered }: HolderMoves): void => {
      const kept = throughout.managers.length;
      holdersBefore.set(security, kept + left.length);
      if (!isMass(entered.length, entered.length + kept)) return;
      const given = new Map(
        entered.holders().map(({ cik, shares }) => [names.managers.numberOf(cik), shares]),
      );
      const [cusip, votes] = [names.securities.textOf(security), given.size];
      found.push({ given, action: { kind: 'mass_entry', cusip, votes, compared: votes + kept } });
    },
    find: (): MassEntry[] =>
      found
        .filter(({ given }) =>
          [...multiplesOf(given, prior)].some(([parent, multiples]) =>
            isParent(multiples, given.size, (holdersBefore.get(parent) ?? 0) / managers),
          ),
        )
        .map(({ action }) => action),
  };
}

/** For each security that its holders held before, the shares of the new one for each share of it. */
function multiplesOf(given: Shares, prior: FiledQuarters['prior']): Map<number, number[]> {
  const { security, amount } = prior.columns();
  const multiples = new Map<number, number[]>();
  for (const [manager, shares] of given) {
    const { from, to } = prior.rangeOf(manager);
    for (let row = from; row < to; row += 1) {
      const parent = security[row] as number;
      const known = multiples.get(parent);
      const multiple = shares / (amount[row] as number);
      if (known === undefined) multiples.set(parent, [multiple]);
      else known.push(multiple);
    }
  }
  return multiples;
}

/** Whether most of the new holders held it, more than other managers do, and most of them at one multiple. */
function isParent(multiples: readonly number[], holders: number, shareOfAll: number): boolean {
  const share = multiples.length / holders;
  if (share * 100 < PARENT_PCT || share < shareOfAll * PARENT_TIMES) return false;
  const sorted = Float64Array.from(multiples).sort();
  return isCrowdAt(sorted, medianOf(sorted), MIN_MASS_MOVE_HOLDERS);
}
