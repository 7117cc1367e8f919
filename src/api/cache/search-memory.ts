import { setImmediate as breathe } from 'node:timers/promises';
import type { Db } from 'mongodb';
import type { Cusip, Ticker } from '../../domain/ids.ts';
import { findEntries, type Hit, type Wanted } from '../../domain/search/find.ts';
import { queryOf, type SearchQuery } from '../../domain/search/rank.ts';
import { buildShard, type SearchShard } from '../../domain/search/shard.ts';
import { nearest } from '../../domain/search/spelling.ts';
import { type Publication, publishedCorpus } from '../../store/publish/corpus.ts';
import {
  type PublishedPart,
  partDigests,
  partOfSecurity,
  readPart,
} from '../../store/publish/search-index.ts';

/** Changes are read at most this often, so the index may be this old (rule 11.23). */
export const SEARCH_FRESH_MS = 1_000;
/** While the database does not answer, the index in memory is used this long, like a brief in the cache. */
const SEARCH_STALE_MS = 60_000;
/** How long a search waits for changes; the first search of a process waits longer. */
const LOOK_MS = 500;
const FIRST_LOOK_MS = 5_000;
type PartInMemory = {
  readonly digest: string;
  readonly shard: SearchShard;
  /** Of every security of the part; null for one without a ticker. */
  readonly tickers: ReadonlyMap<Cusip, Ticker | null>;
};

type Memory = {
  readonly parts: Map<string, PartInMemory>;
  published?: Publication | null;
  /** When the last completed read of changes began. */
  lookedAt: number;
  looking: Promise<void> | null;
};

/** One per database that this process reads. The parts that the pipeline publishes are the source. */
const memories = new WeakMap<Db, Memory>();

/**
 * Searches the index in memory, which is at most a second behind the published parts. It costs two small
 * commands a second for any number of searches; a part is read again only when it changed.
 */
export async function searchMemory(db: Db, query: SearchQuery, wanted: Wanted) {
  const { parts, published = null } = await freshMemory(db);
  const shards = [...parts.values()].map((part) => part.shard);
  return { hits: findEntries(shards, query, wanted), published };
}

/**
 * The published ticker of each CUSIP, null for a security that has none. A CUSIP that is not published,
 * because the index is behind its report, is missing. Like a search, it reads nothing while the index in
 * memory is fresh.
 */
export async function publishedTickers(db: Db, cusips: readonly Cusip[]): Promise<Map<Cusip, Ticker | null>> {
  const { parts } = await freshMemory(db);
  const found = new Map<Cusip, Ticker | null>();
  for (const cusip of cusips) {
    const ticker = parts.get(partOfSecurity(cusip))?.tickers.get(cusip);
    if (ticker !== undefined) found.set(cusip, ticker);
  }
  return found;
}

/**
 * The security that was probably meant by a ticker that no source knows: one whose name or ticker begins so,
 * else one whose ticker is near to it in spelling; null without one, and while the index cannot be read: a
 * hint is never worth a failed call.
 */
export async function nearestSecurity(db: Db, asked: Ticker): Promise<Meant | null> {
  const parts = await freshMemory(db).then(
    (memory) => memory.parts,
    () => null,
  );
  if (parts === null) return null;
  const shards = [...parts.values()].map(({ shard }) => shard);
  const wanted = { type: 'holding', limit: MAX_MEANT } as const;
  const begun = asked.length < MIN_LETTERS_OF_NAME ? [] : findEntries(shards, queryOf(asked), wanted);
  const named = begun.map(({ entry, match }) => (match.tier === 'prefix' ? meantBy(entry) : null));
  const first = named.find((one) => one !== null) ?? null;
  if (first !== null) return first;
  const listed = shards.flatMap(({ targets }) => targets.flatMap(({ entry }) => meantBy(entry) ?? []));
  const ticker = nearest(
    asked,
    listed.map((one) => one.ticker),
  );
  return listed.find((one) => one.ticker === ticker) ?? null;
}

const MAX_MEANT = 5;
/** Too many names begin with two letters. */
const MIN_LETTERS_OF_NAME = 3;

type Meant = { readonly ticker: Ticker; readonly name: string };

function meantBy(entry: Hit['entry']): Meant | null {
  return entry.type === 'holding' && entry.ticker !== null
    ? { ticker: entry.ticker, name: entry.name }
    : null;
}

async function freshMemory(db: Db): Promise<Memory> {
  const memory = memoryOf(db);
  const age = performance.now() - memory.lookedAt;
  if (age > SEARCH_FRESH_MS || memory.parts.size === 0) {
    await look(db, memory).catch((error: unknown) => {
      if (age > SEARCH_STALE_MS || memory.parts.size === 0) throw error;
    });
  }
  return memory;
}

/** Reads the index before the first search needs it. */
export async function warmSearch(db: Db): Promise<void> {
  await look(db, memoryOf(db));
}

function memoryOf(db: Db): Memory {
  const memory = memories.get(db) ?? { parts: new Map(), lookedAt: Number.NEGATIVE_INFINITY, looking: null };
  memories.set(db, memory);
  return memory;
}

/** Searches that arrive during a read wait for it. */
function look(db: Db, memory: Memory): Promise<void> {
  memory.looking ??= takeChanges(db, memory).finally(() => {
    memory.looking = null;
  });
  return memory.looking;
}

function inMemory({ digest, entries, tickers }: PublishedPart): PartInMemory {
  const known = new Map<Cusip, Ticker | null>(tickers);
  for (const entry of entries) {
    if (entry.type === 'holding' && !known.has(entry.cusip)) known.set(entry.cusip, null);
  }
  return { digest, shard: buildShard(entries), tickers: known };
}

async function takeChanges(db: Db, memory: Memory): Promise<void> {
  const began = performance.now();
  const isFirst = memory.parts.size === 0;
  const digests = await partDigests(db, isFirst ? FIRST_LOOK_MS : LOOK_MS);
  memory.published = await publishedCorpus(db);
  for (const id of memory.parts.keys()) if (!digests.has(id)) memory.parts.delete(id);
  for (const [id, digest] of digests) {
    if (memory.parts.get(id)?.digest === digest) continue;
    const part = await readPart(db, id);
    if (part !== null) memory.parts.set(id, inMemory(part));
    // Lets other calls run between two parts.
    await breathe();
  }
  memory.lookedAt = began;
}
