import type { Moment } from '../../domain/columns/changes.ts';
import type { Names } from '../../domain/columns/names.ts';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import { HELD, type ShownQuarter } from '../../domain/report/shown-quarter.ts';
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
 */
export function rememberingHolders() {
  const known: (QuarterHolders | undefined)[] = [];
  let seen: Moment | null = null;
  let wasLast = new Uint8Array(0);
  return (quarter: ShownQuarter, { names, quarterEnd, last }: Of): QuarterHolders[] => {
    const isLast = new Uint8Array(names.managers.size());
    for (const cik of last) isLast[names.managers.numberOf(cik)] = 1;
    const changed = quarter.changesSince(seen)?.securities;
    // Until the end: what is thrown half-way leaves nothing that is believed.
    seen = null;
    const securities = new Set(changed ?? Array(names.securities.size()).keys());
    if (changed !== undefined) for (const one of listedByMoved(quarter, wasLast, isLast)) securities.add(one);
    for (const security of securities) {
      known[security] = heldSecurity(quarter, { security, isLast, names, quarterEnd });
    }
    [seen, wasLast] = [quarter.now(), isLast];
    return known.flatMap((held) => held ?? []).sort(byCusip);
  };
}

/** The securities of managers that are the last ones now and were not, or the reverse. */
function* listedByMoved(quarter: ShownQuarter, was: Uint8Array, is: Uint8Array): Generator<number> {
  const { security } = quarter.columns();
  for (let manager = 0; manager < is.length; manager += 1) {
    if ((was[manager] ?? 0) === is[manager]) continue;
    const { from, to } = quarter.rangeOf(manager);
    for (let row = from; row < to; row += 1) yield security[row] as number;
  }
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
