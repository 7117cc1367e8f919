import type { Redis } from 'ioredis';
import type { Db } from 'mongodb';
import { EVERY_TICKER } from '../../credits/current-brief.ts';
import type { Ticker } from '../../domain/ids.ts';
import { currentBrief } from '../../read/brief/brief.ts';
import { openSlots } from '../../read/holders/slots.ts';
import { currentBriefId, noteAsked } from '../../store/publish/briefs.ts';
import { keepBriefs, type StoredBrief } from '../../store/publish/kept-briefs.ts';
import { briefCache, type CachedBrief, type FoundBrief } from './briefs.ts';
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
