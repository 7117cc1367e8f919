import type { Redis } from 'ioredis';
import type { Ticker } from '../../domain/ids.ts';
import type { StoredBrief } from '../../store/publish/briefs.ts';
import { type BriefCache, briefCache, type CachedBrief, cachedBrief } from './brief-cache.ts';

/** Briefs by ticker, kept fresh by the pipeline's word that a head moved. */
export type BriefLookup = {
  /** Only what is in memory and fresh. */
  readonly peek: (ticker: string) => CachedBrief | null;
  readonly find: (ticker: Ticker) => Promise<CachedBrief>;
  readonly close: () => Promise<void>;
};

export type BriefSource = {
  /** The id of the brief that the ticker shows now; null when none is stored. */
  readonly currentId: (ticker: Ticker) => Promise<string | null>;
  readonly load: (ticker: Ticker) => Promise<StoredBrief>;
};

type Loading = { readonly promise: Promise<CachedBrief>; stale: boolean };

/** Listens on `channel` with a connection of its own; resolves when it is subscribed. */
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
    // What is being read may be from before the move: it is answered, not kept.
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

/** One read for all who ask at the same time. */
async function load({ cache, loading, source }: Parts, ticker: Ticker): Promise<CachedBrief> {
  const shared = loading.get(ticker);
  if (shared !== undefined) return shared.promise;
  const pending: Loading = { promise: read(cache, source, ticker), stale: false };
  loading.set(ticker, pending);
  try {
    const hot = await pending.promise;
    if (!pending.stale) cache.keep(ticker, hot);
    return hot;
  } finally {
    if (loading.get(ticker) === pending) loading.delete(ticker);
  }
}

async function read(cache: BriefCache, source: BriefSource, ticker: Ticker): Promise<CachedBrief> {
  const known = cache.any(ticker);
  if (known !== null && (await source.currentId(ticker)) === known.brief.briefId) return known;
  return cachedBrief(await source.load(ticker));
}

/** Subscribes on a copy of the connection; `onGap` after words may have been missed. */
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
  // ioredis subscribes again by itself; what was said in between is lost, so nothing is believed.
  subscriber.on('close', on.onGap);
  subscriber.on('ready', on.onGap);
  try {
    await subscriber.connect();
    await subscriber.subscribe(channel);
    return subscriber;
  } catch (error) {
    // Without a limit on its attempts it would go on connecting for nobody.
    subscriber.disconnect();
    throw error;
  }
}
