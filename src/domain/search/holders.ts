import { compare } from '../compare.ts';
import type { CorpusState } from '../filing/index-coverage.ts';
import { groupBy } from '../group.ts';
import type { Cusip, QuarterEnd } from '../ids.ts';
import { previousQuarterEnd } from '../quarter.ts';
import type { HeldSecurity } from './entry.ts';
import { wordsOf } from './text.ts';
import { MAX_SPELLINGS } from './thresholds.ts';

/** Managers that hold a security, and those of them that reported nothing later. */
type Holders = { readonly holders: number; readonly last: number };

const NONE: Holders = { holders: 0, last: 0 };

type Counted = { holders: number; last: number };

/** Holders of each security by the issuer's name as their reports spell it. */
export type HolderTally = Map<Cusip, Map<string, Counted>>;

/** A security in the reports of one quarter. */
export type QuarterHolders = Holders & {
  readonly cusip: Cusip;
  readonly quarterEnd: QuarterEnd;
  /** The most frequent names of the issuer, each with the managers that spell it so. */
  readonly spellings: readonly (readonly [string, Holders])[];
};

/** Notes one manager that holds the security; `isLast` if it reported no later quarter. */
export function noteHolder(
  tally: HolderTally,
  { cusip, issuer, isLast }: { readonly cusip: Cusip; readonly issuer: string; readonly isLast: boolean },
): void {
  const spellings = tally.get(cusip) ?? new Map<string, Counted>();
  if (spellings.size === 0) tally.set(cusip, spellings);
  const counted = spellings.get(issuer) ?? { holders: 0, last: 0 };
  counted.holders += 1;
  if (isLast) counted.last += 1;
  if (counted.holders === 1) spellings.set(issuer, counted);
}

/** The securities of a quarter with their holders, in order of CUSIP. The order of noting does not matter. */
export function heldIn(tally: HolderTally, quarterEnd: QuarterEnd): QuarterHolders[] {
  return [...tally]
    .sort(([a], [b]) => compare(a, b))
    .map(([cusip, spellings]) => ({
      cusip,
      quarterEnd,
      ...sumOf([...spellings.values()]),
      spellings: usualSpellings(spellings),
    }));
}

function sumOf(counts: readonly Holders[]): Holders {
  return counts.reduce(
    (sum, { holders, last }) => ({ holders: sum.holders + holders, last: sum.last + last }),
    NONE,
  );
}

/** The most frequent first, ties by text. Of spellings with the same words only one. */
function usualSpellings(spellings: ReadonlyMap<string, Holders>): [string, Holders][] {
  const usual = [...spellings].sort(([a, one], [b, other]) => other.holders - one.holders || compare(a, b));
  const once = new Map<string, [string, Holders]>();
  for (const spelling of usual) {
    const words = wordsOf(spelling[0]).join(' ');
    if (words !== '' && !once.has(words)) once.set(words, spelling);
  }
  return [...once.values()].slice(0, MAX_SPELLINGS);
}

/** What decides whose reports count (rule 7.1). */
export type CountedBy = Pick<CorpusState, 'latestReportedQuarterEnd' | 'filingWindow'>;

/**
 * Each security with the managers that hold it now, as `/stocks` counts them: by their reports of the
 * latest quarter. While its filing window is open, managers that have not reported it count by the
 * quarter before. A security without holders now is shown by the last quarter in which it had any.
 */
export function latestHeld(
  quarters: readonly (readonly QuarterHolders[])[],
  corpus: CountedBy,
): HeldSecurity[] {
  return [...groupBy(quarters.flat(), ({ cusip }) => cusip).values()]
    .map((held) => {
      const newestFirst = held.toSorted((a, b) => compare(b.quarterEnd, a.quarterEnd));
      const now = heldNow(newestFirst, corpus);
      return heldBy(now.length > 0 ? now : newestFirst.slice(0, 1));
    })
    .sort((a, b) => compare(a.cusip, b.cusip));
}

/** The holders of the latest quarter and those carried forward from the one before; the newer first. */
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

/** The security by one quarter, or by two together, the newer first. */
function heldBy(newestFirst: readonly QuarterHolders[]): HeldSecurity {
  const [newest] = newestFirst;
  if (newest === undefined) throw new TypeError('a security is held in some quarter');
  const spellings = new Map<string, Holders>();
  for (const [spelling, count] of newestFirst.flatMap((held) => held.spellings)) {
    spellings.set(spelling, sumOf([spellings.get(spelling) ?? NONE, count]));
  }
  return {
    cusip: newest.cusip,
    latestQuarterEnd: newest.quarterEnd,
    holders: sumOf(newestFirst).holders,
    issuers: usualSpellings(spellings).map(([spelling]) => spelling),
  };
}
