import { parseTicker } from '../ids.ts';
import { withoutSeparator } from '../security/symbol.ts';
import { MAX_WEIGHT, type SearchEntry } from './entry.ts';
import { errorsBetween } from './spelling.ts';
import { coreOf, requiredOf, wordsOf } from './text.ts';

export const MATCHED_ON = ['ticker', 'cik', 'cusip', 'name', 'words', 'spelling'] as const;
export type MatchedOn = (typeof MATCHED_ON)[number];

/** What was typed, once as names are compared and once as each kind of identifier. */
export type SearchQuery = {
  /** The words that a name begins with, run together, so that `black rock` finds `BlackRock`. */
  readonly start: string;
  /** The same without weak words at its end. */
  readonly core: string;
  /** Words that a name has to have, each once. */
  readonly required: readonly string[];
  readonly ticker: string | null;
  readonly cik: string | null;
  readonly cusip: string | null;
};

/** An entry with its names as they are compared. */
export type SearchTarget = {
  readonly entry: SearchEntry;
  readonly names: readonly TargetName[];
  readonly ticker: string | null;
};
export type TargetName = { readonly start: string; readonly core: string; readonly words: readonly string[] };

/** How well an entry answers: the tier first, then `isBest` of its tier, then the entry's weight. */
export type Match = {
  readonly tier: 'exact' | 'prefix' | 'words' | 'spelling';
  readonly matchedOn: MatchedOn;
  /** In `prefix` a whole name, in `spelling` a single error. */
  readonly isBest: boolean;
};

const TIERS = { exact: 4, prefix: 3, words: 2, spelling: 1 } as const;
/** More different words than a name has: such a query is only compared as a whole. */
const MAX_WORDS = 12;

export function queryOf(text: string): SearchQuery {
  const words = wordsOf(text);
  const required = requiredOf(words);
  const typed = text.trim();
  const ticker = parseTicker(typed);
  return {
    ...startOf(words),
    required: required.length > MAX_WORDS ? [] : required,
    ticker: ticker === null ? null : withoutSeparator(ticker),
    cik: /^\d{1,10}$/.test(typed) ? typed.padStart(10, '0') : null,
    cusip: /^[0-9A-Za-z*@#]{9}$/.test(typed) ? typed.toUpperCase() : null,
  };
}

export function targetOf(entry: SearchEntry): SearchTarget {
  const names = [entry.name, ...entry.aliases].map((name): TargetName => {
    const words = wordsOf(name);
    return { ...startOf(words), words };
  });
  const ticker = entry.type === 'holding' && entry.ticker !== null ? withoutSeparator(entry.ticker) : null;
  return { entry, names, ticker };
}

function startOf(words: readonly string[]): { start: string; core: string } {
  const core = coreOf(words);
  return { start: words.slice(words.indexOf(core[0] ?? '')).join(''), core: core.join('') };
}

/**
 * The best way in which the entry answers the query, null when it does not (rule 11.6): an exact
 * ticker, CIK or CUSIP, then a name or ticker that begins with the query, then a name that has every
 * word of it, then one that has them but for typing errors. Weak words never decide.
 */
export function matchOf(query: SearchQuery, target: SearchTarget): Match | null {
  return cleanMatchOf(query, target) ?? misspeltMatch(query, target);
}

/** The same without looking for typing errors, which costs most. */
export function cleanMatchOf(query: SearchQuery, target: SearchTarget): Match | null {
  return exactMatch(query, target) ?? prefixMatch(query, target) ?? wordsMatch(query, target);
}

function exactMatch(query: SearchQuery, { entry, ticker }: SearchTarget): Match | null {
  const matchedOn = exactField(query, entry, ticker);
  return matchedOn === null ? null : { tier: 'exact', matchedOn, isBest: false };
}

function exactField(query: SearchQuery, entry: SearchEntry, ticker: string | null): MatchedOn | null {
  if (ticker !== null && ticker === query.ticker) return 'ticker';
  if (entry.type === 'holding') return query.cusip === entry.cusip ? 'cusip' : null;
  return entry.cik !== null && query.cik === entry.cik ? 'cik' : null;
}

function prefixMatch(query: SearchQuery, { names, ticker }: SearchTarget): Match | null {
  if (query.core !== '' && names.some((name) => name.start.startsWith(query.core))) {
    const isBest = names.some((name) => name.core === query.core);
    return { tier: 'prefix', matchedOn: 'name', isBest };
  }
  if (query.ticker !== null && ticker?.startsWith(query.ticker)) {
    return { tier: 'prefix', matchedOn: 'ticker', isBest: false };
  }
  return null;
}

function wordsMatch({ required }: SearchQuery, { names }: SearchTarget): Match | null {
  if (required.length === 0 || !names.some((name) => required.every((wanted) => hasWord(name, wanted)))) {
    return null;
  }
  return { tier: 'words', matchedOn: 'words', isBest: false };
}

function hasWord({ words }: TargetName, wanted: string): boolean {
  return words.some((word) => word.startsWith(wanted));
}

/** Of an entry that does not answer without typing errors. */
export function misspeltMatch(query: SearchQuery, { names }: SearchTarget): Match | null {
  if (query.required.length === 0) return null;
  const errors = fewest(names, (name) => errorsIn(query, name));
  return errors === null ? null : { tier: 'spelling', matchedOn: 'spelling', isBest: errors === 1 };
}

/** Typing errors over all required words; null when a word is not in the name at all. */
function errorsIn({ required }: SearchQuery, name: TargetName): number | null {
  let sum = 0;
  for (const wanted of required) {
    const errors = hasWord(name, wanted) ? 0 : fewest(name.words, (word) => errorsBetween(wanted, word));
    if (errors === null) return null;
    sum += errors;
  }
  return sum;
}

function fewest<T>(all: readonly T[], errorsOf: (one: T) => number | null): number | null {
  let least: number | null = null;
  for (const one of all) {
    const errors = errorsOf(one);
    if (errors !== null && (least === null || errors < least)) least = errors;
  }
  return least;
}

/**
 * One number that orders results, descending: the whole part is the tier (4 exact, 3 prefix, 2 every
 * word, 1 close spelling), the fraction the weight of the entry; of a tier with a best, the best are
 * in the upper half. Five decimals.
 */
export function scoreOf({ tier, isBest }: Match, weight: number): number {
  const span = MAX_WEIGHT + 1;
  const isHalved = tier === 'prefix' || tier === 'spelling';
  const fraction = isHalved ? (weight + (isBest ? span : 0)) / 2 : weight;
  return (TIERS[tier] * span + fraction) / span;
}
