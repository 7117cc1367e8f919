import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import { EVERY_TICKER } from '../../credits/notices.ts';
import type { Ticker } from '../../domain/ids.ts';
import { currentBrief } from '../../read/brief/brief.ts';
import { openSlots } from '../../read/holders/slots.ts';
import { keepBriefs, type StoredBrief } from '../../store/publish/briefs.ts';
import { currentBriefId, noteAsked } from '../../store/publish/current-briefs.ts';
import type { HeaderList } from '../http/base-headers.ts';
import { type ReadyReplies, readyReplies } from '../http/reply.ts';
import { listen } from './listen.ts';
import { nearestSecurity } from './search-memory.ts';

type BriefSource = ReturnType<typeof briefSource>;
/** `maxBytes`: of the briefs in memory. */
type Briefs = { readonly source: BriefSource; readonly maxBytes: number };
/**
 * After a publication every first read builds a brief. More at once would only make all of them late: so
 * they come first, first served.
 */
const READS_AT_ONCE = 8;

/**
 * Briefs by ticker. The pipeline announces new ones on `channel`, so they are dropped from the cache at
 * once; after a publication of the corpus each is compared with the current one before it is sent again.
 * Listens with its own connection. Resolves when it is subscribed.
 */
export async function openBriefLookup(redis: Redis, channel: string, { source, maxBytes }: Briefs) {
  const cache = briefCache(maxBytes);
  /** A read that was taken out of here may return an older brief: it is answered, but not kept. */
  const loading = new Map<string, Promise<CachedBrief>>();
  const slots = openSlots(READS_AT_ONCE);
  const forget = (ticker: string): void => {
    cache.drop(ticker);
    loading.delete(ticker);
  };
  /** The bytes stay in memory: where the id is the same they are sent again. */
  const compareAll = (): void => {
    cache.expireAll();
    loading.clear();
  };
  const read = async (ticker: Ticker): Promise<CachedBrief> => {
    const known = cache.any(ticker);
    if (known !== null && (await source.currentId(ticker)) === known.brief.briefId) return known;
    const brief = await source.load(ticker);
    // A reader gets it: noted before it is sent, and once, because later answers come from memory (rule 13.8).
    if (brief.mayExpire) await source.keep(brief.briefId);
    return cache.packed(brief);
  };
  // Concurrent calls for one ticker share one read.
  const load = async (ticker: Ticker): Promise<CachedBrief> => {
    const shared = loading.get(ticker);
    if (shared !== undefined) return shared;
    const promise = slots.run(() => read(ticker));
    loading.set(ticker, promise);
    const isNewest = (): boolean => loading.get(ticker) === promise;
    try {
      const cached = await promise;
      if (isNewest()) cache.keep(ticker, cached);
      return cached;
    } finally {
      if (isNewest()) loading.delete(ticker);
    }
  };
  const subscriber = await listen(redis, channel, {
    onMessage: (ticker) => (ticker === EVERY_TICKER ? compareAll() : forget(ticker as Ticker)),
    onGap: compareAll,
  });
  return {
    /** Only a brief that is in memory and fresh. */
    peek: cache.fresh,
    find: async (ticker: Ticker) => cache.fresh(ticker) ?? load(ticker),
    close: subscriber.close,
  };
}

export function briefSource(db: Db, now: () => Date) {
  return {
    /** Of a brief in memory, which a reader asks for now as well. */
    currentId: async (ticker: Ticker) => {
      await noteAsked(db, ticker, now().toISOString());
      return currentBriefId(db, ticker);
    },
    load: async (ticker: Ticker): Promise<FoundBrief> => {
      const brief = await currentBrief(db, ticker, now);
      return { ...brief, meant: await meantBy(db, ticker, brief) };
    },
    keep: (briefId: string) => keepBriefs(db, [briefId]),
  };
}

/** In a brief about a ticker that no source knows; an ambiguous one is `refused`. */
const OF_UNKNOWN = ['"entity":{"ticker":"","name":""', '"outcome":"no_data"'];

/** The security that was probably meant, for a ticker that no source knows. */
async function meantBy(db: Db, ticker: Ticker, { body }: StoredBrief): Promise<Ticker | null> {
  if (!OF_UNKNOWN.every((text) => body.includes(text))) return null;
  return (await nearestSecurity(db, ticker))?.ticker ?? null;
}

/** A brief in memory with its answers ready to send. */
type CachedBrief = { readonly brief: FoundBrief; readonly replies: ReadyReplies };

/** `meant`: the known ticker near to the requested one, which no source knows; null or absent for all others. */
type FoundBrief = StoredBrief & { readonly meant?: Ticker | null };

/** A message about a new brief may be lost. After this time a brief is compared again. */
const FRESH_MS = 60_000;
/** Map entry, header lists and buffers, in addition to the bytes. */
const ENTRY_OVERHEAD = 2_048;

type Entry = { readonly cached: CachedBrief; readonly checkedAt: number };

/** Limited by bytes: the brief that was not asked for longest is dropped first. */
export function briefCache(maxBytes: number) {
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ cached: { brief } }) =>
      brief.body.byteLength + brief.gzip.byteLength + ENTRY_OVERHEAD,
  });
  let expiredAt = Number.NEGATIVE_INFINITY;
  return {
    drop: (ticker: string): boolean => entries.delete(ticker),
    /** Only a brief that was compared with the current one within the last minute. */
    fresh(ticker: string): CachedBrief | null {
      const entry = entries.get(ticker);
      if (entry === undefined || entry.checkedAt <= expiredAt) return null;
      return performance.now() - entry.checkedAt < FRESH_MS ? entry.cached : null;
    },
    /** Any brief in the cache, fresh or not. */
    any: (ticker: Ticker): CachedBrief | null => entries.get(ticker)?.cached ?? null,
    /** The brief with its answers. It was marked as kept before it comes into memory. */
    packed({ briefId, body, gzip, meant = null }: FoundBrief): CachedBrief {
      // A copy: what zlib returns is part of a larger buffer.
      const brief = { briefId, body, gzip: Buffer.from(gzip), meant, mayExpire: false };
      return { brief, replies: briefReplies(brief, { headers: meantHeaders(meant) }) };
    },
    keep(ticker: Ticker, cached: CachedBrief): void {
      entries.set(ticker, { cached, checkedAt: performance.now() });
    },
    /** From now on none is fresh. */
    expireAll(): void {
      expiredAt = performance.now();
    },
  };
}

type Sending = { readonly cacheControl?: string; readonly headers?: HeaderList };

/** `cacheControl`: by default for the brief of a ticker, which another one may replace at any time. */
export function briefReplies(
  brief: StoredBrief,
  { cacheControl = 'private, no-cache', headers }: Sending,
): ReadyReplies {
  const encodings = { plain: brief.body, gzip: brief.gzip, ...(headers ? { more: headers } : {}) };
  return readyReplies(`W/"${brief.briefId}"`, cacheControl, encodings);
}

export const DID_YOU_MEAN = 'X-Did-You-Mean';

/** Outside the hashed bytes, because what is near to a ticker changes with the index. */
export function meantHeaders(meant: Ticker | null = null): HeaderList {
  return meant === null ? [] : [DID_YOU_MEAN, meant];
}
