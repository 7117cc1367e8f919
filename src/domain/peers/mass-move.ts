import type { Cik, Cusip } from '../ids.ts';
import type { HolderMoves } from './holder-move.ts';
import { MASS_MOVE_PCT, MIN_MASS_MOVE_HOLDERS, POPULAR_SOURCE_PCT, SHARED_SOURCE_PCT } from './thresholds.ts';
import type { MassEntry, MassExit } from './verdict.ts';

/** Whether nearly all holders left the security at once, as in a merger or a delisting (rule 4.9). */
export function massExitFrom(
  cusip: Cusip,
  { left, throughout }: Pick<HolderMoves, 'left' | 'throughout'>,
): MassExit | null {
  const compared = left.length + throughout.length;
  return isMass(left.length, compared) ? { kind: 'mass_exit', cusip, votes: left.length, compared } : null;
}

/**
 * Finds securities that their holders were given, in a merger for shares or a spin-off (rule 4.9).
 * Buyers of an offering have nothing in common that others do not hold; those who were given a
 * security are the holders of one other. It keeps a number for each holder of each security.
 * @param managers number of managers with two comparable reports
 */
export function massEntries(managers: number) {
  const numbers = new Map<Cik, number>();
  const numberOf = (cik: Cik): number => {
    const known = numbers.get(cik) ?? numbers.size;
    numbers.set(cik, known);
    return known;
  };
  const sources: { readonly cusip: Cusip; readonly holders: Uint32Array }[] = [];
  const entered: { readonly holders: ReadonlySet<number>; readonly action: MassEntry }[] = [];
  return {
    add: (cusip: Cusip, { throughout, left, entered: into }: HolderMoves): void => {
      const before = [...throughout, ...left];
      if (before.length >= MIN_MASS_MOVE_HOLDERS * (SHARED_SOURCE_PCT / 100)) {
        sources.push({ cusip, holders: Uint32Array.from(before, ({ cik }) => numberOf(cik)) });
      }
      const compared = into.length + throughout.length;
      if (!isMass(into.length, compared)) return;
      const holders = new Set(into.map(({ cik }) => numberOf(cik)));
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
function isGivenTo(source: Uint32Array, holders: ReadonlySet<number>, managers: number): boolean {
  const share = source.length * 2 > managers ? POPULAR_SOURCE_PCT : SHARED_SOURCE_PCT;
  const enough = Math.max(source.length, holders.size) * share;
  if (Math.min(source.length, holders.size) * 100 < enough) return false;
  const shared = source.reduce((count, holder) => count + (holders.has(holder) ? 1 : 0), 0);
  return shared * 100 >= enough;
}

function isMass(moved: number, compared: number): boolean {
  return moved >= MIN_MASS_MOVE_HOLDERS && moved * 100 >= compared * MASS_MOVE_PCT;
}
