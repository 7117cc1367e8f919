import type { Cik, Cusip } from '../ids.ts';
import type { HolderMoves } from './holder-move.ts';
import { MASS_EXIT_PCT, MIN_MASS_EXIT_HOLDERS } from './mass-exit.ts';
import type { MassEntry } from './verdict.ts';

/** Part of those that entered who held one other security before, and part of that one's holders (rule 4.9). */
export const SHARED_SOURCE_PCT = 60;
/** The same where more than half of all managers hold the other one: whoever entered an offering holds it too. */
export const POPULAR_SOURCE_PCT = 90;

/**
 * Collects who held what, a number for each holder, to find securities that their holders were given:
 * in a merger for shares or a spin-off. Those who enter an offering hold nothing in common that others
 * do not hold; those who were given a security are the holders of one other.
 */
export type MassEntries = {
  /** Once for each CUSIP, in any order. */
  readonly add: (cusip: Cusip, moves: HolderMoves) => void;
  /** In the order of the CUSIPs. */
  readonly find: () => MassEntry[];
};

type Entered = { readonly cusip: Cusip; readonly holders: ReadonlySet<number>; readonly compared: number };

/** @param managers of how many managers both reports can be compared */
export function massEntries(managers: number): MassEntries {
  const numbers = new Map<Cik, number>();
  const numberOf = (cik: Cik): number => {
    const known = numbers.get(cik) ?? numbers.size;
    numbers.set(cik, known);
    return known;
  };
  const sources: { readonly cusip: Cusip; readonly holders: Uint32Array }[] = [];
  const entered: Entered[] = [];
  return {
    add: (cusip, { throughout, left, entered: into }) => {
      const before = [...throughout, ...left];
      if (before.length >= MIN_MASS_EXIT_HOLDERS * (SHARED_SOURCE_PCT / 100)) {
        sources.push({ cusip, holders: Uint32Array.from(before, ({ cik }) => numberOf(cik)) });
      }
      const compared = into.length + throughout.length;
      if (into.length < MIN_MASS_EXIT_HOLDERS || into.length * 100 < compared * MASS_EXIT_PCT) return;
      entered.push({ cusip, holders: new Set(into.map(({ cik }) => numberOf(cik))), compared });
    },
    find: () =>
      entered
        .filter((one) =>
          sources.some((source) => source.cusip !== one.cusip && isGivenTo(source.holders, one, managers)),
        )
        .map(
          ({ cusip, holders, compared }): MassEntry => ({
            kind: 'mass_entry',
            cusip,
            votes: holders.size,
            compared,
          }),
        )
        .sort((a, b) => (a.cusip < b.cusip ? -1 : 1)),
  };
}

/** Whether most of those that entered, and most holders of the other security, are the same. */
function isGivenTo(source: Uint32Array, { holders }: Entered, managers: number): boolean {
  const share = source.length * 2 > managers ? POPULAR_SOURCE_PCT : SHARED_SOURCE_PCT;
  const enough = Math.max(source.length, holders.size) * share;
  if (Math.min(source.length, holders.size) * 100 < enough) return false;
  const shared = source.reduce((count, holder) => count + (holders.has(holder) ? 1 : 0), 0);
  return shared * 100 >= enough;
}
