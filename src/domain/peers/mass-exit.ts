import type { Cusip } from '../ids.ts';
import type { HolderMoves } from './holder-move.ts';
import type { Vanished } from './verdict.ts';

/** Holders that reported both quarters, and the part of them that left: no such number sells by chance. */
export const MIN_VANISHED_HOLDERS = 5;
export const VANISHED_PCT = 90;

/** Whether nearly all holders left the security at once, as in a merger or a delisting (domain 2.9). */
export function vanishedFrom(
  cusip: Cusip,
  { left, throughout }: Pick<HolderMoves, 'left' | 'throughout'>,
): Vanished | null {
  const compared = left.length + throughout.length;
  const isGone = compared >= MIN_VANISHED_HOLDERS && left.length * 100 >= compared * VANISHED_PCT;
  return isGone ? { kind: 'vanished', cusip, votes: left.length, compared } : null;
}
