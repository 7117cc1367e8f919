import { type Collection, type Db, MongoServerError } from 'mongodb';
import { type Cik, parseCik, parseTicker, type Ticker } from '../../domain/ids.ts';

/** Most tickers, and most CIKs, that one organisation watches. */
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

/** What stands in the way of saving, by the field it is in. */
export type WatchlistFault = { readonly field: 'tickers' | 'ciks'; readonly message: string };

export type Replaced =
  | { readonly kind: 'saved'; readonly watchlist: WatchlistDoc }
  | { readonly kind: 'refused'; readonly faults: readonly WatchlistFault[] };

function watchlistsIn(db: Db): Collection<WatchlistDoc> {
  return db.collection<WatchlistDoc>('watchlists');
}

/** The organisation's watchlist; empty, and never edited, when it has none yet. */
export async function findWatchlist(db: Db, orgId: string): Promise<WatchlistDoc> {
  const found = await watchlistsIn(db).findOne({ _id: orgId });
  return found ?? { _id: orgId, tickers: [], ciks: [], updatedAt: null };
}

/**
 * Puts a list in the place of the organisation's own, in one write: of two editors at once the last
 * wins, whole. `brk-b` is kept as `BRK.B`, `1067983` as `0001067983`. Nothing is saved, and every
 * fault named, when an entry cannot be read or there are more than {@link MAX_WATCHED} of a kind.
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
  await put(db, orgId, rest);
  return { kind: 'saved', watchlist: { _id: orgId, ...rest } };
}

/** Two first edits at once both insert: the one that lost the insert replaces. */
async function put(db: Db, orgId: string, rest: Omit<WatchlistDoc, '_id'>): Promise<void> {
  const write = () => watchlistsIn(db).replaceOne({ _id: orgId }, rest, { upsert: true });
  try {
    await write();
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === 11000)) throw error;
    await write();
  }
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
