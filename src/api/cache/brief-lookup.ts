import type { Redis } from 'ioredis';
import type { Db } from 'mongodb';
import type { Ticker } from '../../domain/ids.ts';
import { currentBrief } from '../../read/brief/current.ts';
import { currentBriefsIn, type StoredBrief } from '../../store/publish/briefs.ts';
import { type BriefCache, briefCache, type CachedBrief, cachedBrief } from './brief-cache.ts';

/** Briefs by ticker. The pipeline announces new ones, so they are dropped from the cache at once. */
export type BriefLookup = {
  /** Only a brief that is in memory and fresh. */
  readonly peek: (ticker: string) => CachedBrief | null;
  readonly find: (ticker: Ticker) => Promise<CachedBrief>;
  readonly close: () => Promise<void>;
};

type BriefSource = {
  /** The id of the current brief of the ticker; null when none is stored. */
  readonly currentId: (ticker: Ticker) => Promise<string | null>;
  readonly load: (ticker: Ticker) => Promise<StoredBrief>;
};

type Loading = { readonly promise: Promise<CachedBrief>; stale: boolean };

/** Listens on `channel` with its own connection. Resolves when it is subscribed. */
export async function openBriefLookup(
  redis: Redis,
  channel: string,
  source: BriefSource,
): Promise<BriefLookup> {
  const cache = briefCache();
  const loading = new Map<string, Loading>();
  const forget = (ticker: string): void => {
    cache.drop(ticker);
    const pending = loading.get(ticker);
    // A read in progress may return the older brief: it is answered, but not kept.
    if (pending !== undefined) pending.stale = true;
    loading.delete(ticker);
  };
  const forgetAll = (): void => {
    cache.dropAll();
    for (const ticker of [...loading.keys()]) forget(ticker);
  };
  const subscriber = await listen(redis, channel, { onTicker: forget, onGap: forgetAll });
  return {
    peek: cache.fresh,
    find: async (ticker) => cache.fresh(ticker) ?? load({ cache, loading, source }, ticker),
    close: async () => {
      subscriber.disconnect();
    },
  };
}

type Parts = {
  readonly cache: BriefCache;
  readonly loading: Map<string, Loading>;
  readonly source: BriefSource;
};

/** Concurrent calls for one ticker share one read. */
async function load({ cache, loading, source }: Parts, ticker: Ticker): Promise<CachedBrief> {
  const shared = loading.get(ticker);
  if (shared !== undefined) return shared.promise;
  const pending: Loading = { promise: read(cache, source, ticker), stale: false };
  loading.set(ticker, pending);
  try {
    const cached = await pending.promise;
    if (!pending.stale) cache.keep(ticker, cached);
    return cached;
  } finally {
    if (loading.get(ticker) === pending) loading.delete(ticker);
  }
}

async function read(cache: BriefCache, source: BriefSource, ticker: Ticker): Promise<CachedBrief> {
  const known = cache.any(ticker);
  if (known !== null && (await source.currentId(ticker)) === known.brief.briefId) return known;
  return cachedBrief(await source.load(ticker));
}

/** Subscribes on a copy of the connection. `onGap` is called after messages may have been lost. */
async function listen(
  redis: Redis,
  channel: string,
  on: { readonly onTicker: (ticker: string) => void; readonly onGap: () => void },
): Promise<Redis> {
  const subscriber = redis.duplicate({
    enableOfflineQueue: true,
    enableAutoPipelining: false,
    maxRetriesPerRequest: null,
    lazyConnect: true,
  });
  subscriber.on('error', () => undefined);
  subscriber.on('message', (_channel, ticker: string) => on.onTicker(ticker));
  // ioredis subscribes again by itself, but messages sent in between are lost.
  subscriber.on('close', on.onGap);
  subscriber.on('ready', on.onGap);
  try {
    await subscriber.connect();
    await subscriber.subscribe(channel);
    return subscriber;
  } catch (error) {
    // It has no limit on retries, so it would go on connecting.
    subscriber.disconnect();
    throw error;
  }
}

export function briefSource(db: Db, now: () => Date): BriefSource {
  return {
    async currentId(ticker) {
      const current = await currentBriefsIn(db).findOne({ _id: ticker }, { projection: { briefId: 1 } });
      return current?.briefId ?? null;
    },
    load: (ticker) => currentBrief(db, ticker, now),
  };
}
