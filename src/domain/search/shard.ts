import type { SearchEntry } from './entry.ts';
import { type SearchQuery, targetOf } from './rank.ts';
import { errorsAllowed, errorsBetween, lettersOf, mayBeWithin } from './spelling.ts';

/**
 * A part of the index in memory. A place is an index of `targets`, which are in the order of weight,
 * so that the first candidates are the best of their tier.
 */
export type SearchShard = ReturnType<typeof buildShard>;

/** Sorted texts, each once, with their places. */
type Sorted = { readonly texts: readonly string[]; readonly places: readonly (readonly number[])[] };

/** Finds candidates for one tier, in order of place: all that belong to it, and perhaps others. */
export type Pass = (shard: SearchShard, query: SearchQuery) => number[];

/** @param entries in the order of `compareEntries` */
export function buildShard(entries: readonly SearchEntry[]) {
  const targets = entries.map(targetOf);
  /** By ticker, CIK, CUSIP and whole name. */
  const exact: Places = new Map();
  /** Beginnings of names, and tickers. */
  const starts: Places = new Map();
  const words: Places = new Map();
  for (const [place, { entry, names, ticker }] of targets.entries()) {
    for (const id of idsOf(entry, ticker)) note(exact, id, place);
    for (const name of names) {
      note(exact, `name:${name.core}`, place);
      note(starts, name.start, place);
      for (const word of name.words) note(words, word, place);
    }
    if (ticker !== null) note(starts, ticker.toLowerCase(), place);
  }
  const vocabulary = sorted(words);
  /** {@link lettersOf} each of `words`. */
  const letters = Int32Array.from(vocabulary.texts, lettersOf);
  return { targets, exact, starts: sorted(starts), words: vocabulary, letters };
}

function idsOf(entry: SearchEntry, ticker: string | null): string[] {
  if (entry.type !== 'holding') return entry.cik === null ? [] : [`cik:${entry.cik}`];
  return [`cusip:${entry.cusip}`, ...(ticker === null ? [] : [`ticker:${ticker}`])];
}

type Places = Map<string, number[]>;

function note(places: Places, text: string, place: number): void {
  const known = places.get(text);
  if (known === undefined) places.set(text, [place]);
  else if (known.at(-1) !== place) known.push(place);
}

function sorted(map: Places): Sorted {
  const texts = [...map.keys()].sort();
  return { texts, places: texts.map((text) => map.get(text) ?? []) };
}

/** Exact identifiers, and whole names, which are the best of the next tier. In no order. */
export const exactPass: Pass = ({ exact }, { ticker, cik, cusip, core }) =>
  [`ticker:${ticker}`, `cik:${cik}`, `cusip:${cusip}`, `name:${core}`].flatMap((id) => exact.get(id) ?? []);

export const prefixPass: Pass = ({ targets, starts }, { core, ticker }) => {
  const names = core === '' ? [] : startingWith(starts, core);
  const symbols = ticker === null ? [] : startingWith(starts, ticker.toLowerCase());
  return inAll([[...names, ...symbols]], targets.length);
};

export const wordsPass: Pass = ({ targets, words }, { required }) =>
  inAll(
    required.map((wanted) => startingWith(words, wanted)),
    targets.length,
  );

export const spellingPass: Pass = (shard, { required }) =>
  inAll(
    required.map((wanted) => [...startingWith(shard.words, wanted), ...closeTo(shard, wanted)]),
    shard.targets.length,
  );

type Lists = readonly (readonly number[])[];

/** Everything between two binary searches begins with the text. */
function startingWith({ texts, places }: Sorted, text: string): Lists {
  const from = firstFrom(texts, (one) => one >= text);
  const to = firstFrom(texts, (one) => one >= text && !one.startsWith(text));
  return places.slice(from, to);
}

function firstFrom(texts: readonly string[], isAtOrAfter: (text: string) => boolean): number {
  let [low, high] = [0, texts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAtOrAfter(texts[middle] ?? '')) high = middle;
    else low = middle + 1;
  }
  return low;
}

function closeTo({ words, letters }: SearchShard, wanted: string): Lists {
  const most = errorsAllowed(wanted, wanted);
  if (most === 0) return [];
  const own = lettersOf(wanted);
  const found: (readonly number[])[] = [];
  for (let at = 0; at < letters.length; at += 1) {
    if (!mayBeWithin(own, letters[at] ?? 0, most)) continue;
    if (errorsBetween(wanted, words.texts[at] ?? '') !== null) found.push(words.places[at] ?? []);
  }
  return found;
}

/** The places that are in a list of every choice, ascending. */
function inAll(choices: readonly Lists[], size: number): number[] {
  if (choices.length === 0 || choices.some((lists) => lists.length === 0)) return [];
  if (choices.length === 1 && choices[0]?.length === 1) return [...(choices[0][0] ?? [])];
  const met = new Uint8Array(size);
  for (const [turn, lists] of choices.entries()) meet(met, lists, turn);
  const places: number[] = [];
  for (let place = 0; place < size; place += 1) if (met[place] === choices.length) places.push(place);
  return places;
}

/** Counts a choice at the places that met all choices before it. */
function meet(met: Uint8Array, lists: Lists, turn: number): void {
  for (const list of lists) {
    for (const place of list) if (met[place] === turn) met[place] = turn + 1;
  }
}
