import { parseTicker } from '../ids.ts';
import { withoutSeparator } from '../security/symbol.ts';
import { MAX_WEIGHT, type SearchEntry } from './entry.ts';
import { errorsBetween } from './spelling.ts';
import { coreOf, requiredOf, wordsOf } from './text.ts';
import { MAX_QUERY_WORDS } from './thresholds.ts';

export const MATCHED_ON = ['ticker', 'cik', 'cusip', 'name', 'words', 'spelling'] as const;
type MatchedOn = (typeof MATCHED_ON)[number];

/** What was typed, as names are compared and as each kind of identifier. */
export type SearchQuery = ReturnType<typeof queryOf>;

/** An entry with its names as they are compared. */
export type SearchTarget = ReturnType<typeof targetOf>;
type TargetName = {
  readonly words: readonly string[];
  /** The words from the first one of the core on, run together. */
  readonly start: string;
  readonly core: string;
};

/** How well an entry answers: by the tier, then by `isBest` in its tier, then by the entry's weight. */
export type Match = {
  readonly tier: 'exact' | 'prefix' | 'words' | 'spelling';
  readonly matchedOn: MatchedOn;
  /** A whole name in `prefix`, a single error in `spelling`. */
  readonly isBest: boolean;
};

const TIERS = { exact: 4, prefix: 3, words: 2, spelling: 1 } as const;

export function queryOf(text: string) {
  const words = wordsOf(text);
  const required = requiredOf(words);
  const typed = text.trim();
  const ticker = parseTicker(typed);
  return {
    /** The words without weak ones at the end, run together, so that `black rock` finds `BlackRock`. */
    core: coreOf(words).join(''),
    /** Words that a name must have, each once. */
    required: required.length > MAX_QUERY_WORDS ? [] : required,
    ticker: ticker === null ? null : withoutSeparator(ticker),
    cik: /^\d{1,10}$/.test(typed) ? typed.padStart(10, '0') : null,
    cusip: /^[0-9A-Za-z*@#]{9}$/.test(typed) ? typed.toUpperCase() : null,
  };
}

export function targetOf(entry: SearchEntry) {
  const names = [entry.name, ...entry.aliases].map((name): TargetName => {
    const words = wordsOf(name);
    const core = coreOf(words);
    return { words, start: words.slice(words.indexOf(core[0] ?? '')).join(''), core: core.join('') };
  });
  const ticker = entry.type === 'holding' && entry.ticker !== null ? withoutSeparator(entry.ticker) : null;
  return { entry, names, ticker };
}

/**
 * The best way in which the entry answers the query without typing errors, or null (rule 11.6): an
 * exact ticker, CIK or CUSIP, then a name or ticker that begins with the query, then a name that has
 * every word of it. Weak words never decide.
 */
export function cleanMatchOf(query: SearchQuery, target: SearchTarget): Match | null {
  return beginningMatchOf(query, target) ?? wordsMatch(query, target);
}

/** The same without names that only have every word. */
export function beginningMatchOf(query: SearchQuery, target: SearchTarget): Match | null {
  return exactMatch(query, target) ?? prefixMatch(query, target);
}

function exactMatch(query: SearchQuery, target: SearchTarget): Match | null {
  const matchedOn = exactField(query, target);
  return matchedOn === null ? null : { tier: 'exact', matchedOn, isBest: false };
}

function exactField(query: SearchQuery, { entry, ticker }: SearchTarget): MatchedOn | null {
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
  const isFound = names.some((name) => required.every((wanted) => hasWord(name, wanted)));
  return required.length > 0 && isFound ? { tier: 'words', matchedOn: 'words', isBest: false } : null;
}

function hasWord({ words }: TargetName, wanted: string): boolean {
  return words.some((word) => word.startsWith(wanted));
}

/** How an entry answers that has no clean match: a name that has every word but for typing errors. */
export function misspeltMatch(query: SearchQuery, { names }: SearchTarget): Match | null {
  if (query.required.length === 0) return null;
  const errors = fewest(names, (name) => errorsIn(query, name));
  return errors === null ? null : { tier: 'spelling', matchedOn: 'spelling', isBest: errors === 1 };
}

/** Typing errors over all required words; null when a word is not in the name. */
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
 * One number that orders results, descending, with five decimals. The whole part is the tier (4 exact,
 * 3 prefix, 2 every word, 1 close spelling) and the fraction is the weight of the entry. Where a tier
 * has best matches, they take the upper half.
 */
export function scoreOf({ tier, isBest }: Match, weight: number): number {
  const span = MAX_WEIGHT + 1;
  const isHalved = tier === 'prefix' || tier === 'spelling';
  const fraction = isHalved ? (weight + (isBest ? span : 0)) / 2 : weight;
  return (TIERS[tier] * span + fraction) / span;
}
