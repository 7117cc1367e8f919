import { gunzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Ticker } from '../../domain/ids.ts';
import type { StoredBrief } from '../../store/publish/kept-briefs.ts';
import type { HeaderList } from '../http/base-headers.ts';
import { type ReadyReplies, readyReplies } from '../http/reply.ts';

/** A brief in memory with its answers ready to send. */
export type CachedBrief = { readonly brief: FoundBrief; readonly replies: ReadyReplies };

/** `meant`: the known ticker near to the requested one, which no source knows; null or absent for all others. */
export type FoundBrief = StoredBrief & { readonly meant?: Ticker | null };

/** A message about a new brief may be lost. After this time a brief is compared again. */
const FRESH_MS = 60_000;
/** Map entry, header lists and buffers, in addition to the bytes. */
const ENTRY_OVERHEAD = 2_048;
/** For texts in plain, for clients that take no gzip. */
const PLAIN_SHARE = 1 / 8;

type Entry = { readonly cached: CachedBrief; readonly checkedAt: number };

/**
 * Limited by bytes: the brief that was not asked for longest is dropped first. All are kept as gzip, a quarter
 * of the plain text; the texts that clients without gzip asked for last are kept too.
 */
export function briefCache(maxBytes: number) {
  const sizeOf = (bytes: Buffer): number => bytes.byteLength + ENTRY_OVERHEAD;
  const entries = new LRUCache<string, Entry>({
    maxSize: Math.floor(maxBytes * (1 - PLAIN_SHARE)),
    sizeCalculation: ({ cached: { brief } }) => sizeOf(brief.gzip),
  });
  const texts = new LRUCache<string, Buffer>({
    maxSize: Math.floor(maxBytes * PLAIN_SHARE),
    sizeCalculation: sizeOf,
  });
  const textOf = ({ briefId, gzip }: Pick<StoredBrief, 'briefId' | 'gzip'>): Buffer => {
    const known = texts.get(briefId);
    if (known !== undefined) return known;
    const text = gunzipSync(gzip);
    texts.set(briefId, text);
    return text;
  };
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
    /** The brief without its plain text. */
    packed({ briefId, gzip: own, meant = null }: FoundBrief): CachedBrief {
      // A copy: what zlib returns is part of a larger buffer.
      const gzip = Buffer.from(own);
      const brief = {
        briefId,
        gzip,
        meant,
        // It was kept before it came into memory.
        mayExpire: false,
        get body() {
          return textOf({ briefId, gzip });
        },
      };
      return { brief, replies: briefReplies(brief, { headers: meantHeaders(meant) }) };
    },
    keep(ticker: Ticker, cached: CachedBrief): void {
      entries.set(ticker, { cached, checkedAt: performance.now() });
    },
    /** From now on none is fresh. */
    expireAll(): void {
      expiredAt = performance.now();
    },
    dropAll: (): void => entries.clear(),
  };
}

type Sending = { readonly cacheControl?: string; readonly headers?: HeaderList };

/** `cacheControl`: by default for the brief of a ticker, which another one may replace at any time. */
export function briefReplies(
  brief: StoredBrief,
  { cacheControl = 'private, no-cache', headers }: Sending,
): ReadyReplies {
  const encodings = { plain: () => brief.body, gzip: brief.gzip, ...(headers ? { more: headers } : {}) };
  return readyReplies(`W/"${brief.briefId}"`, cacheControl, encodings);
}

/** Outside the hashed bytes, because what is near to a ticker changes with the index. */
export function meantHeaders(meant: Ticker | null = null): HeaderList {
  return meant === null ? [] : ['X-Did-You-Mean', meant];
}
