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

/** Outside the hashed bytes, because what is near to a ticker changes with the index. */
export function meantHeaders(meant: Ticker | null = null): HeaderList {
  return meant === null ? [] : ['X-Did-You-Mean', meant];
}
