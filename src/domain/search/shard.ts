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
  return {
    targets,
    exact,
    starts: sorted(starts),
    words: vocabulary,
    byLength: byLengthOf(vocabulary.texts),
  };
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

/** The first place of a sorted list at which the condition holds, as it does at all later ones. */
function firstFrom<T>(list: readonly T[], isAtOrAfter: (one: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    // The middle is below the end, so the list has it.
    if (isAtOrAfter(list[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Places of words in the vocabulary, the shortest word first, and {@link lettersOf} each. */
type ByLength = { readonly order: readonly number[]; readonly letters: Int32Array };

function byLengthOf(words: readonly string[]): ByLength {
  const lengthAt = (place: number): number => words[place]?.length ?? 0;
  const order = [...words.keys()].sort((a, b) => lengthAt(a) - lengthAt(b));
  return { order, letters: Int32Array.from(order, (place) => lettersOf(words[place] ?? '')) };
}

/** Words but for typing errors. Their letters exclude nearly all words of about that length. */
function closeTo({ words, byLength: { order, letters } }: SearchShard, wanted: string): Lists {
  const most = errorsAllowed(wanted, wanted);
  if (most === 0) return [];
  const own = lettersOf(wanted);
  const wordAt = (place: number): string => words.texts[place] ?? '';
  const from = firstFrom(order, (place) => wordAt(place).length >= wanted.length - most);
  const to = firstFrom(order, (place) => wordAt(place).length > wanted.length + most);
  const found: (readonly number[])[] = [];
  for (let at = from; at < to; at += 1) {
    if (!mayBeWithin(own, letters[at] ?? 0, most)) continue;
    const place = order[at] ?? 0;
    if (errorsBetween(wanted, wordAt(place)) !== null) found.push(words.places[place] ?? []);
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
