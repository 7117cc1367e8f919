import type { Ticker } from '../../domain/ids.ts';
import type { StoredBrief } from '../../store/publish/briefs.ts';
import { type BriefReplies, briefReplies } from './brief-reply.ts';

/** A brief in memory with its answers ready to send. */
export type CachedBrief = { readonly brief: StoredBrief; readonly replies: BriefReplies };

/** Bounded by bytes: the brief kept longest makes room. */
export type BriefCache = {
  /** Only what was compared with its head within the last minute. */
  readonly fresh: (ticker: string) => CachedBrief | null;
  /** Whatever is there, fresh or not. */
  readonly any: (ticker: Ticker) => CachedBrief | null;
  readonly keep: (ticker: Ticker, hot: CachedBrief) => void;
  readonly drop: (ticker: string) => void;
  readonly dropAll: () => void;
};

/** A word that a head moved may be lost; after this a brief is compared with its head again. */
const FRESH_MS = 60_000;
const MAX_BYTES = 128 * 1024 * 1024;
/** Map entry, header lists and buffers beside the bytes themselves. */
const ENTRY_OVERHEAD = 2_048;

type Entry = { readonly hot: CachedBrief; readonly bytes: number; readonly checkedAt: number };

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
      return entry !== undefined && Date.now() - entry.checkedAt < FRESH_MS ? entry.hot : null;
    },
    any: (ticker) => entries.get(ticker)?.hot ?? null,
    keep(ticker, hot) {
      drop(ticker);
      const size = hot.brief.body.byteLength + hot.brief.gzip.byteLength + ENTRY_OVERHEAD;
      entries.set(ticker, { hot, bytes: size, checkedAt: Date.now() });
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
