import type { Ticker } from '../../domain/ids.ts';
import type { StoredBrief } from '../../store/publish/briefs.ts';
import { type ReadyReplies, readyReplies } from '../http/reply.ts';

/** A brief in memory with its answers ready to send. */
export type CachedBrief = { readonly brief: StoredBrief; readonly replies: ReadyReplies };

/** A message about a new brief may be lost. After this time a brief is compared again. */
const FRESH_MS = 60_000;
const MAX_BYTES = 128 * 1024 * 1024;
/** Map entry, header lists and buffers, in addition to the bytes. */
const ENTRY_OVERHEAD = 2_048;

type Entry = { readonly cached: CachedBrief; readonly bytes: number; readonly checkedAt: number };

/** Limited by bytes: the brief that is in the cache longest is dropped first. */
export function briefCache() {
  const entries = new Map<string, Entry>();
  let bytes = 0;
  const drop = (ticker: string): void => {
    bytes -= entries.get(ticker)?.bytes ?? 0;
    entries.delete(ticker);
  };
  return {
    drop,
    /** Only a brief that was compared with the current one within the last minute. */
    fresh(ticker: string): CachedBrief | null {
      const entry = entries.get(ticker);
      return entry !== undefined && performance.now() - entry.checkedAt < FRESH_MS ? entry.cached : null;
    },
    /** Any brief in the cache, fresh or not. */
    any: (ticker: Ticker): CachedBrief | null => entries.get(ticker)?.cached ?? null,
    keep(ticker: Ticker, cached: CachedBrief): void {
      drop(ticker);
      const size = cached.brief.body.byteLength + cached.brief.gzip.byteLength + ENTRY_OVERHEAD;
      entries.set(ticker, { cached, bytes: size, checkedAt: performance.now() });
      bytes += size;
      for (const oldest of entries.keys()) {
        if (bytes <= MAX_BYTES || oldest === ticker) break;
        drop(oldest);
      }
    },
    /** From now on none is fresh. */
    expireAll(): void {
      for (const [ticker, entry] of entries)
        entries.set(ticker, { ...entry, checkedAt: Number.NEGATIVE_INFINITY });
    },
    dropAll(): void {
      entries.clear();
      bytes = 0;
    },
  };
}

export function cachedBrief(brief: StoredBrief): CachedBrief {
  return { brief, replies: briefReplies(brief) };
}

export function briefReplies(brief: StoredBrief): ReadyReplies {
  return readyReplies(`W/"${brief.briefId}"`, 'private', { plain: brief.body, gzip: brief.gzip });
}
