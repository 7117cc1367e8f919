import type { Ticker } from '../../domain/ids.ts';
import type { StoredBrief } from '../../store/publish/briefs.ts';
import { type BriefReplies, briefReplies } from './brief-reply.ts';

/** A brief in memory with its answers ready to send. */
export type CachedBrief = { readonly brief: StoredBrief; readonly replies: BriefReplies };

/** Limited by bytes: the brief that is in the cache longest is dropped first. */
export type BriefCache = {
  /** Only a brief that was compared with the current one within the last minute. */
  readonly fresh: (ticker: string) => CachedBrief | null;
  /** Any brief in the cache, fresh or not. */
  readonly any: (ticker: Ticker) => CachedBrief | null;
  readonly keep: (ticker: Ticker, cached: CachedBrief) => void;
  readonly drop: (ticker: string) => void;
  readonly dropAll: () => void;
};

/** A message about a new brief may be lost. After this time a brief is compared again. */
const FRESH_MS = 60_000;
const MAX_BYTES = 128 * 1024 * 1024;
/** Map entry, header lists and buffers, in addition to the bytes. */
const ENTRY_OVERHEAD = 2_048;

type Entry = { readonly cached: CachedBrief; readonly bytes: number; readonly checkedAt: number };

export function briefCache(): BriefCache {
  const entries = new Map<string, Entry>();
  let bytes = 0;
  const drop = (ticker: string): void => {
    bytes -= entries.get(ticker)?.bytes ?? 0;
    entries.delete(ticker);
  };
  return {
    drop,
    fresh(ticker) {
      const entry = entries.get(ticker);
      return entry !== undefined && performance.now() - entry.checkedAt < FRESH_MS ? entry.cached : null;
    },
    any: (ticker) => entries.get(ticker)?.cached ?? null,
    keep(ticker, cached) {
      drop(ticker);
      const size = cached.brief.body.byteLength + cached.brief.gzip.byteLength + ENTRY_OVERHEAD;
      entries.set(ticker, { cached, bytes: size, checkedAt: performance.now() });
      bytes += size;
      for (const oldest of entries.keys()) {
        if (bytes <= MAX_BYTES || oldest === ticker) break;
        drop(oldest);
      }
    },
    dropAll() {
      entries.clear();
      bytes = 0;
    },
  };
}

export function cachedBrief(brief: StoredBrief): CachedBrief {
  return { brief, replies: briefReplies(brief) };
}
