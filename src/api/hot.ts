import type { Redis } from 'ioredis';
import type { Ticker } from '../domain/ids.ts';
import type { StoredBrief } from '../store/briefs.ts';
import { type BriefReplies, briefReplies } from './brief-reply.ts';

/** A brief in memory with its answers ready to send. */
export type HotBrief = { readonly brief: StoredBrief; readonly replies: BriefReplies };

/** Briefs by ticker, kept fresh by the pipeline's word that a head moved. */
export type HotBriefs = {
  /** Only what is in memory and fresh. */
  readonly peek: (ticker: string) => HotBrief | null;
  readonly find: (ticker: Ticker) => Promise<HotBrief>;
  readonly close: () => Promise<void>;
};

export type BriefSource = {
  /** The id of the brief that the ticker shows now; null when none is stored. */
  readonly currentId: (ticker: Ticker) => Promise<string | null>;
  readonly load: (ticker: Ticker) => Promise<StoredBrief>;
};

/** A word may be lost with a connection; after this a brief is compared with its head again. */
const FRESH_MS = 60_000;
const MAX_BYTES = 128 * 1024 * 1024;
/** Map entry, header lists and buffers beside the bytes themselves. */
const ENTRY_OVERHEAD = 2_048;

type Entry = HotBrief & { readonly bytes: number; checkedAt: number };
type Loading = { readonly promise: Promise<Entry>; stale: boolean };

/** Listens on `channel` with a connection of its own; resolves when it is subscribed. */
export async function openHotBriefs(redis: Redis, channel: string, source: BriefSource): Promise<HotBriefs> {
  const entries = new Map<string, Entry>();
  const loading = new Map<string, Loading>();
  let bytes = 0;

  const drop = (ticker: string): void => {
    bytes -= entries.get(ticker)?.bytes ?? 0;
    entries.delete(ticker);
    const pending = loading.get(ticker);
    // What is being read may be from before the move: it is answered, not kept.
    if (pending !== undefined) pending.stale = true;
    loading.delete(ticker);
  };
  const dropAll = (): void => {
    for (const ticker of new Set([...entries.keys(), ...loading.keys()])) drop(ticker);
  };
  const keep = (ticker: string, entry: Entry): void => {
    drop(ticker);
    entries.set(ticker, entry);
    bytes += entry.bytes;
    for (const oldest of entries.keys()) {
      if (bytes <= MAX_BYTES || oldest === ticker) break;
      drop(oldest);
    }
  };
  const read = async (ticker: Ticker): Promise<Entry> => {
    const known = entries.get(ticker);
    if (known !== undefined && (await source.currentId(ticker)) === known.brief.briefId) {
      return { ...known, checkedAt: Date.now() };
    }
    const brief = await source.load(ticker);
    const size = brief.body.byteLength + brief.gzip.byteLength + ENTRY_OVERHEAD;
    return { brief, replies: briefReplies(brief), bytes: size, checkedAt: Date.now() };
  };
  const find = async (ticker: Ticker): Promise<HotBrief> => {
    const known = peek(ticker);
    if (known !== null) return known;
    const shared = loading.get(ticker);
    if (shared !== undefined) return shared.promise;
    const pending: Loading = { promise: read(ticker), stale: false };
    loading.set(ticker, pending);
    try {
      const entry = await pending.promise;
      if (!pending.stale) keep(ticker, entry);
      return entry;
    } finally {
      if (loading.get(ticker) === pending) loading.delete(ticker);
    }
  };
  const peek = (ticker: string): HotBrief | null => {
    const entry = entries.get(ticker);
    return entry !== undefined && Date.now() - entry.checkedAt < FRESH_MS ? entry : null;
  };

  const subscriber = await listen(redis, channel, { onTicker: drop, onGap: dropAll });
  return {
    peek,
    find,
    close: async () => {
      subscriber.disconnect();
    },
  };
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
  await subscriber.connect();
  await subscriber.subscribe(channel);
  return subscriber;
}
