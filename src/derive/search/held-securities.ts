import { isDeepStrictEqual } from 'node:util';
import type { Moment } from '../../domain/columns/columns.ts';
import type { Names } from '../../domain/columns/room.ts';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import {
  HELD,
  listedByOthers,
  markedManagers,
  type ShownQuarter,
} from '../../domain/report/shown-quarter.ts';
import { type HolderTally, heldIn, noteHolder, type QuarterHolders } from '../../domain/search/holders.ts';

type Of = {
  readonly names: Names;
  readonly quarterEnd: QuarterEnd;
  /** Managers that reported no later quarter. */
  readonly last: readonly Cik[];
};

/**
 * The holders of each security of a quarter, in order of CUSIP. For the same quarter time and again it counts only
 * the securities with other rows, and those of managers that reported a later quarter, or no later one any more.
 * An equal count is the same object: most changed rows differ only in their amounts.
 */
export function rememberingHolders() {
  const known: (QuarterHolders | undefined)[] = [];
  let seen: Moment | null = null;
  let wasLast: Uint8Array = new Uint8Array(0);
  return (quarter: ShownQuarter, { names, quarterEnd, last }: Of): QuarterHolders[] => {
    const isLast = markedManagers(names, last);
    const changed = quarter.changesSince(seen)?.securities;
    // Until the end: what is thrown half-way leaves nothing that is believed.
    seen = null;
    const securities = new Set(changed ?? Array(names.securities.size()).keys());
    if (changed !== undefined) {
      for (const one of listedByOthers(quarter, wasLast, isLast)) securities.add(one);
    }
    for (const security of securities) {
      const held = heldSecurity(quarter, { security, isLast, names, quarterEnd });
      if (!isDeepStrictEqual(held, known[security])) known[security] = held;
    }
    [seen, wasLast] = [quarter.now(), isLast];
    return known.flatMap((held) => held ?? []).sort(byCusip);
  };
}

type One = Pick<Of, 'names' | 'quarterEnd'> & { readonly security: number; readonly isLast: Uint8Array };

/** Undefined without a holder. */
function heldSecurity(quarter: ShownQuarter, { security, isLast, names, quarterEnd }: One) {
  const { manager, issuer, flags } = quarter.columns();
  const cusip = names.securities.textOf(security);
  const tally: HolderTally = new Map();
  for (const row of quarter.rowsOf(security)) {
    if (((flags[row] as number) & HELD) === 0) continue;
    const spelling = names.issuers.textOf(issuer[row] as number);
    noteHolder(tally, { cusip, issuer: spelling, isLast: isLast[manager[row] as number] === 1 });
  }
  return heldIn(tally, quarterEnd)[0];
}

function byCusip(a: QuarterHolders, b: QuarterHolders): number {
  return a.cusip < b.cusip ? -1 : 1;
}
