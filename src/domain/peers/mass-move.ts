import type { Cusip } from '../ids.ts';
import type { HolderMoves } from './holder-move.ts';
import { MASS_MOVE_PCT, MIN_MASS_MOVE_HOLDERS, POPULAR_SOURCE_PCT, SHARED_SOURCE_PCT } from './thresholds.ts';
import type { MassEntry, MassExit } from './verdict.ts';

/** Whether nearly all holders left the security at once, as in a merger or a delisting (rule 4.9). */
export function massExitFrom(cusip: Cusip, { left, throughout }: HolderMoves): MassExit | null {
  const compared = left.length + throughout.managers.length;
  return isMass(left.length, compared) ? { kind: 'mass_exit', cusip, votes: left.length, compared } : null;
}

/**
 * Finds securities that their holders were given, in a merger for shares or a spin-off (rule 4.9).
 * Buyers of an offering have nothing in common that others do not hold; those who were given a
 * security are the holders of one other. It keeps the numbers of the holders of each security.
 * @param managers number of managers with two comparable reports
 */
export function massEntries(managers: number) {
  const sources: { readonly cusip: Cusip; readonly holders: Int32Array }[] = [];
  const entered: { readonly holders: ReadonlySet<number>; readonly action: MassEntry }[] = [];
  return {
    add: (cusip: Cusip, { throughout, left, entered: into }: HolderMoves): void => {
      const before = throughout.managers.length + left.length;
      if (before >= MIN_MASS_MOVE_HOLDERS * (SHARED_SOURCE_PCT / 100)) {
        const holders = new Int32Array(before);
        holders.set(throughout.managers);
        holders.set(left.managers(), throughout.managers.length);
        sources.push({ cusip, holders });
      }
      const compared = into.length + throughout.managers.length;
      if (!isMass(into.length, compared)) return;
      const holders = new Set(into.managers());
      entered.push({ holders, action: { kind: 'mass_entry', cusip, votes: holders.size, compared } });
    },
    find: (): MassEntry[] =>
      entered
        .filter(({ holders, action }) =>
          sources.some((one) => one.cusip !== action.cusip && isGivenTo(one.holders, holders, managers)),
        )
        .map(({ action }) => action),
  };
}

/** Whether most of those that entered, and most holders of the other security, are the same. */
function isGivenTo(source: Int32Array, holders: ReadonlySet<number>, managers: number): boolean {
  const share = source.length * 2 > managers ? POPULAR_SOURCE_PCT : SHARED_SOURCE_PCT;
  const enough = Math.max(source.length, holders.size) * share;
  if (Math.min(source.length, holders.size) * 100 < enough) return false;
  // Fast exit for almost every security: too few of its holders entered.
  let shared = source.length;
  for (const holder of source) {
    if (!holders.has(holder)) shared -= 1;
    if (shared * 100 < enough) return false;
  }
  return true;
}

function isMass(moved: number, compared: number): boolean {
  return moved >= MIN_MASS_MOVE_HOLDERS && moved * 100 >= compared * MASS_MOVE_PCT;
}
