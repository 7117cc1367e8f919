import type { Cik, Cusip, QuarterEnd, Ticker } from '../ids.ts';
import { compareEntries, entriesOfFund, entryOfSecurity, type SearchEntry } from './entry.ts';
import { findEntries, type Hit } from './find.ts';
import { queryOf } from './rank.ts';
import { buildShard } from './shard.ts';

const QUARTER = '2018-09-30' as QuarterEnd;

/** A fund with a made-up CIK unless one is given, and so many dollars. */
export function fundEntry(
  name: string,
  dollars: number,
  cik = '0000000001',
  due: string = QUARTER,
): SearchEntry {
  const [fund] = entriesOfFund({
    cik: cik as Cik,
    name,
    slug: 'slug',
    aumCents: BigInt(dollars) * 100n,
    latestQuarterEnd: QUARTER,
    includes: [],
    dueQuarterEnd: due as QuarterEnd,
  });
  if (fund === undefined) throw new Error('a fund has an entry');
  return fund;
}

export function holdingEntry(
  name: string,
  { holders = 1, cusip = '037833100', ticker = null as string | null, aliases = [] as string[] } = {},
): SearchEntry {
  const held = { cusip: cusip as Cusip, latestQuarterEnd: QUARTER, holders, issuers: [name, ...aliases] };
  return entryOfSecurity(held, ticker === null ? null : { ticker: ticker as Ticker, name });
}

/** Searches entries spread over two parts of an index, as the whole is. */
export function search(
  entries: readonly SearchEntry[],
  text: string,
  wanted: Parameters<typeof findEntries>[2] = { type: null, limit: 20 },
): Hit[] {
  const half = (parity: number): SearchEntry[] =>
    entries.filter((_, at) => at % 2 === parity).toSorted(compareEntries);
  return findEntries([buildShard(half(0)), buildShard(half(1))], queryOf(text), wanted);
}
