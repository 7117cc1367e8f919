import type { Cusip } from '../ids.ts';
import type { HolderMoves } from './holder-move.ts';
import type { MassExit } from './verdict.ts';

/** Holders that reported both quarters, and the part of them that left: no such number sells by chance. */
export const MIN_MASS_EXIT_HOLDERS = 5;
export const MASS_EXIT_PCT = 90;

/** Whether nearly all holders left the security at once, as in a merger or a delisting (rule 4.9). */
export function massExitFrom(
  cusip: Cusip,
  { left, throughout }: Pick<HolderMoves, 'left' | 'throughout'>,
): MassExit | null {
  const compared = left.length + throughout.length;
  const isGone = compared >= MIN_MASS_EXIT_HOLDERS && left.length * 100 >= compared * MASS_EXIT_PCT;
  return isGone ? { kind: 'mass_exit', cusip, votes: left.length, compared } : null;
}
