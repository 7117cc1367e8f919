import { compare } from '../compare.ts';
import { groupBy } from '../group.ts';
import type { Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import { firstSeen, isPlaceholder, lastSeen, type SecurityMapping } from '../security/mapping.ts';
import { isSameIssuer } from '../security/pick.ts';
import type { CusipChange, PeerVerdicts } from './verdict.ts';

/** A change that the filers of a quarter proved together. */
export type DatedChange = { readonly quarterEnd: QuarterEnd; readonly change: CusipChange };

export function datedChanges(quarters: readonly PeerVerdicts[]): DatedChange[] {
  return quarters.flatMap(({ quarterEnd, corporateActions }) =>
    corporateActions.flatMap((action) =>
      action.kind === 'cusip_change' ? [{ quarterEnd, change: action }] : [],
    ),
  );
}

/** What the sources say about the CUSIP of a ticker on the as-of date. */
type CusipHistory = {
  readonly cusip: Cusip;
  /** Every statement of a CUSIP under the ticker. */
  readonly mappings: readonly SecurityMapping[];
  readonly asOf: IsoDate;
};

/** Whether the sources saw the CUSIP on both sides of the quarter end. Filers need not be asked then. */
export function isSettledAt({ cusip, mappings, asOf }: CusipHistory, quarterEnd: QuarterEnd): boolean {
  const own = mappings.filter((mapping) => mapping.cusip === cusip);
  const after = own.some((mapping) => (lastSeen(mapping, asOf) ?? '') > quarterEnd);
  return after && own.some((mapping) => isSeenBy(mapping, quarterEnd));
}

/**
 * The CUSIP under which the reports of a quarter hold a ticker's security (rule 3.9). A CUSIP
 * that came after the quarter gives way to the one that the ticker had before, of the same issuer. A
 * CUSIP that was not seen after the quarter gives way to the one that its holders went over to.
 */
export function cusipAtQuarter(
  history: CusipHistory,
  quarterEnd: QuarterEnd,
  changes: readonly DatedChange[],
): Cusip {
  if (isSettledAt(history, quarterEnd)) return history.cusip;
  return followed(cusipSeenBy(history, quarterEnd), quarterEnd, changes);
}

function cusipSeenBy({ cusip, mappings }: CusipHistory, quarterEnd: QuarterEnd): Cusip {
  const own = mappings.filter((mapping) => mapping.cusip === cusip);
  if (own.some((mapping) => isSeenBy(mapping, quarterEnd))) return cusip;
  const lastBy = (mapping: SecurityMapping): string => lastSeen(mapping, quarterEnd) ?? '';
  const before = mappings
    .filter(
      (mapping) => isSeenBy(mapping, quarterEnd) && own.some((now) => isSameIssuer(now, mapping, mappings)),
    )
    .sort((a, b) => compare(lastBy(b), lastBy(a)) || compare(a.cusip ?? '', b.cusip ?? ''));
  return before[0]?.cusip ?? cusip;
}

/** Follows each quarter's changes to their end, in whatever order they are listed, then the next quarter's. */
function followed(from: Cusip, quarterEnd: QuarterEnd, changes: readonly DatedChange[]): Cusip {
  const past = changes
    .filter((dated) => dated.quarterEnd <= quarterEnd)
    .sort((a, b) => compare(a.quarterEnd, b.quarterEnd));
  return [...groupBy(past, (dated) => dated.quarterEnd).values()].reduce(
    (cusip, within) => endOf(cusip, within),
    from,
  );
}

function endOf(from: Cusip, dated: readonly DatedChange[]): Cusip {
  const changes = dated.map(({ change }) => change);
  const left = changes.sort((a, b) => b.votes - a.votes || compare(a.cusip, b.cusip));
  const passed = new Set([from]);
  let cusip = from;
  for (;;) {
    const next = left.find((change) => change.from === cusip && !passed.has(change.cusip));
    if (next === undefined) return cusip;
    cusip = next.cusip;
    passed.add(cusip);
  }
}

/** A CUSIP of which only its end was printed (`XXXX`) had the symbol until then. */
function isSeenBy(mapping: SecurityMapping, day: IsoDate): boolean {
  if (isPlaceholder(mapping)) return mapping.placeholder === 'XXXX';
  const first = firstSeen(mapping);
  return mapping.cusip !== null && first !== null && first <= day;
}
