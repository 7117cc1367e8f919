import type { IncomingMessage } from 'node:http';
import type { Ticker } from '../../domain/ids.ts';
import type { StoredBrief } from '../../store/publish/briefs.ts';
import type { HeaderList } from '../http/base-headers.ts';
import { acceptsGzip, hasCurrent, JSON_TYPE, lengthOf, type Reply } from '../http/reply.ts';

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

/** The three answers of a stored brief, made once. */
type BriefReplies = {
  readonly etag: string;
  readonly plain: Reply;
  readonly gzip: Reply;
  readonly notModified: Reply;
};

export function briefReplies(brief: StoredBrief): BriefReplies {
  const etag = `W/"${brief.briefId}"`;
  const caching: HeaderList = ['ETag', etag, 'Cache-Control', 'private, no-cache', 'Vary', 'Accept-Encoding'];
  return {
    etag,
    plain: { status: 200, headers: [...JSON_TYPE, ...caching, ...lengthOf(brief.body)], body: brief.body },
    gzip: {
      status: 200,
      headers: [...JSON_TYPE, ...caching, 'Content-Encoding', 'gzip', ...lengthOf(brief.gzip)],
      body: brief.gzip,
    },
    notModified: { status: 304, headers: caching, body: null },
  };
}

/**
 * Compares the entity tag itself: Node's own fetch adds `Cache-Control: no-cache` to a conditional
 * request, and Express would then never answer 304.
 */
export function chooseBriefReply(req: IncomingMessage, replies: BriefReplies): Reply {
  if (hasCurrent(req, replies.etag)) return replies.notModified;
  return acceptsGzip(req.headers['accept-encoding']) ? replies.gzip : replies.plain;
}
