import type { CorpusState } from '../filing/corpus-state.ts';
import type { Cusip, QuarterEnd } from '../ids.ts';
import { qualityOf, type Reason } from '../quality/quality.ts';
import { previousQuarterEnd } from '../quarter.ts';
import type { HeldSecurity } from './entry.ts';
import { wordsOf } from './text.ts';

/** Managers that hold a security, and those of them that have reported nothing later. */
type Holders = { readonly holders: number; readonly last: number };

/** How many managers spell the issuer of a security how. */
export type HolderTally = Map<Cusip, Map<string, Holders>>;

/** A security in the reports of one quarter. */
export type QuarterHolders = Holders & {
  readonly cusip: Cusip;
  readonly quarterEnd: QuarterEnd;
  /** The usual ones, each with the managers that spell it so. */
  readonly spellings: readonly (readonly [string, Holders])[];
};

/** Spellings beyond these are rare, and misspelt more often than not. */
const MAX_SPELLINGS = 4;

/** Whether a row makes its manager a holder, by the rule of the totals of `/stocks`. */
export function isHeld(row: { readonly amount: bigint; readonly reasons: readonly Reason[] }): boolean {
  return row.amount > 0n && qualityOf(row.reasons).status !== 'excluded';
}

/** Notes one manager that holds the security; `isLast` if this quarter is the last that it reported. */
export function noteHolder(
  tally: HolderTally,
  { cusip, issuer, isLast }: { readonly cusip: Cusip; readonly issuer: string; readonly isLast: boolean },
): void {
  const spellings = tally.get(cusip) ?? new Map<string, Holders>();
  tally.set(cusip, spellings);
  spellings.set(issuer, sumOf([spellings.get(issuer) ?? NOBODY, { holders: 1, last: isLast ? 1 : 0 }]));
}

/** The securities of a quarter by CUSIP, with their holders. The order of noting never matters. */
export function heldIn(tally: HolderTally, quarterEnd: QuarterEnd): QuarterHolders[] {
  return [...tally]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([cusip, spellings]) => ({
      cusip,
      quarterEnd,
      ...sumOf([...spellings.values()]),
      spellings: usualSpellings(spellings),
    }));
}

const NOBODY: Holders = { holders: 0, last: 0 };

function sumOf(counts: readonly Holders[]): Holders {
  return counts.reduce(
    (sum, { holders, last }) => ({ holders: sum.holders + holders, last: sum.last + last }),
    NOBODY,
  );
}

/** The most frequent first, ties by text; one of those that are read alike. */
function usualSpellings(spellings: ReadonlyMap<string, Holders>): [string, Holders][] {
  const usual = [...spellings].sort(
    ([a, one], [b, other]) => other.holders - one.holders || (a < b ? -1 : 1),
  );
  const once = new Map<string, [string, Holders]>();
  for (const spelling of usual) {
    const read = wordsOf(spelling[0]).join(' ');
    if (read !== '' && !once.has(read)) once.set(read, spelling);
  }
  return [...once.values()].slice(0, MAX_SPELLINGS);
}

/** What of the corpus decides whose reports count (rule 7.1). */
export type CountedBy = Pick<CorpusState, 'latestReportedQuarterEnd' | 'filingWindow'>;

/**
 * Each security by the managers that hold it now: by their reports of the latest quarter, and while
 * its filing window is open by those of the quarter before of whoever has not reported it yet, as
 * `/stocks` counts. One that nobody holds now is shown by the last quarter in which anyone did.
 */
export function latestHeld(
  quarters: readonly (readonly QuarterHolders[])[],
  corpus: CountedBy,
): HeldSecurity[] {
  const byCusip = new Map<Cusip, QuarterHolders[]>();
  for (const held of quarters.flat()) {
    const known = byCusip.get(held.cusip);
    if (known === undefined) byCusip.set(held.cusip, [held]);
    else known.push(held);
  }
  return [...byCusip.values()]
    .map((held) => {
      const newestFirst = held.toSorted((a, b) => (a.quarterEnd > b.quarterEnd ? -1 : 1));
      const now = heldNow(newestFirst, corpus);
      return heldBy(now.length > 0 ? now : newestFirst.slice(0, 1));
    })
    .sort((a, b) => (a.cusip < b.cusip ? -1 : 1));
}

/** What counts of the latest quarter and, carried forward, of the one before; the newer first. */
function heldNow(newestFirst: readonly QuarterHolders[], corpus: CountedBy): QuarterHolders[] {
  const latest = corpus.latestReportedQuarterEnd;
  if (latest === null) return [];
  const carriedFrom = corpus.filingWindow === 'open' ? previousQuarterEnd(latest) : null;
  return newestFirst.flatMap((held) => {
    if (held.quarterEnd === latest) return [held];
    return held.quarterEnd === carriedFrom && held.last > 0 ? [carried(held)] : [];
  });
}

function carried(held: QuarterHolders): QuarterHolders {
  const spellings = held.spellings
    .filter(([, { last }]) => last > 0)
    .map(([spelling, { last }]) => [spelling, { holders: last, last }] as const);
  return { ...held, holders: held.last, spellings: spellings.length > 0 ? spellings : held.spellings };
}

/** The security by one quarter, or by a newer and an older one together. */
function heldBy(newestFirst: readonly QuarterHolders[]): HeldSecurity {
  const [newest] = newestFirst;
  if (newest === undefined) throw new TypeError('a security is held in some quarter');
  const spellings = new Map<string, Holders>();
  for (const [spelling, count] of newestFirst.flatMap((held) => held.spellings)) {
    spellings.set(spelling, sumOf([spellings.get(spelling) ?? NOBODY, count]));
  }
  return {
    cusip: newest.cusip,
    latestQuarterEnd: newest.quarterEnd,
    holders: sumOf(newestFirst).holders,
    issuers: usualSpellings(spellings).map(([spelling]) => spelling),
  };
}
