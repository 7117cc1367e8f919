import type { Db } from 'mongodb';
import { type Cik, parseCik, parseTicker, type Ticker } from '../../domain/ids.ts';
import { insertOrLose } from '../mongo/write.ts';

/** The largest number of tickers, and of CIKs, that one organisation watches. */
export const MAX_WATCHED = 50;

/** What an organisation watches in the stream of events; one document each. */
export type WatchlistDoc = {
  /** The organisation's id. */
  _id: string;
  /** Sorted, each once. */
  tickers: Ticker[];
  /** Issuers or reporting owners; sorted, each once. */
  ciks: Cik[];
  /** ISO 8601 UTC; null before it was first edited. */
  updatedAt: string | null;
};

/** Why a list cannot be saved, by the field. */
type WatchlistFault = { readonly field: 'tickers' | 'ciks'; readonly message: string };

type Replaced =
  | { readonly kind: 'saved'; readonly watchlist: WatchlistDoc }
  | { readonly kind: 'refused'; readonly faults: readonly WatchlistFault[] };

const watchlistsIn = (db: Db) => db.collection<WatchlistDoc>('watchlists');

/** The organisation's watchlist. When it has none yet it is empty and was never edited. */
export async function findWatchlist(db: Db, orgId: string): Promise<WatchlistDoc> {
  const found = await watchlistsIn(db).findOne({ _id: orgId });
  return found ?? { _id: orgId, tickers: [], ciks: [], updatedAt: null };
}

/**
 * Replaces the organisation's list in one write: of two editors at once the last one wins with its
 * whole list. `brk-b` is stored as `BRK.B`, `1067983` as `0001067983`. When an entry cannot be read,
 * or there are more than {@link MAX_WATCHED} of a kind, nothing is saved and every fault is returned.
 * @param at ISO 8601 UTC
 */
export async function replaceWatchlist(
  db: Db,
  orgId: string,
  wanted: { readonly tickers: readonly string[]; readonly ciks: readonly string[] },
  at: string,
): Promise<Replaced> {
  const tickers = understood('tickers', wanted.tickers, parseTicker);
  const ciks = understood('ciks', wanted.ciks, parseCik);
  const faults = [...tickers.faults, ...ciks.faults];
  if (faults.length > 0) return { kind: 'refused', faults };
  const rest = { tickers: tickers.values, ciks: ciks.values, updatedAt: at };
  const watchlist = { _id: orgId, ...rest };
  // Of two first edits at once one inserts and the other replaces.
  if (!(await insertOrLose(watchlistsIn(db), watchlist))) {
    await watchlistsIn(db).replaceOne({ _id: orgId }, rest);
  }
  return { kind: 'saved', watchlist };
}

function understood<T extends string>(
  field: WatchlistFault['field'],
  texts: readonly string[],
  parse: (text: string) => T | null,
): { values: T[]; faults: WatchlistFault[] } {
  const read = texts.map((text) => ({ text, value: parse(text) }));
  const word = field === 'tickers' ? 'a ticker' : 'a CIK';
  const faults = read
    .filter(({ value }) => value === null)
    .map(({ text }) => ({ field, message: `${JSON.stringify(text.slice(0, 20))} is not ${word}` }));
  const values = [...new Set(read.flatMap(({ value }) => (value === null ? [] : [value])))].sort();
  if (values.length > MAX_WATCHED) faults.push({ field, message: `at most ${MAX_WATCHED} ${field}` });
  return { values, faults };
}
