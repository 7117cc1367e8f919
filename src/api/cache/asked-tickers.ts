import { LRUCache } from 'lru-cache';
import type { Ticker } from '../../domain/ids.ts';

/** A ticker is noted once in this time… */
const NOTED_MS = 86_400_000;
/** …if it is among so many of this process. */
const MAX_NOTED = 20_000;
const FLUSH_MS = 10_000;

type Note = (tickers: readonly Ticker[]) => Promise<void>;

/**
 * Collects the tickers that readers ask for and notes them in batches, because their briefs are built ahead
 * (rule 13.7). What cannot be noted is noted when it is asked for again.
 */
export function askedTickers(note: Note) {
  const noted = new LRUCache<Ticker, true>({ max: MAX_NOTED, ttl: NOTED_MS });
  let fresh: Ticker[] = [];
  async function flush(): Promise<void> {
    const tickers = fresh;
    fresh = [];
    if (tickers.length === 0) return;
    await note(tickers).catch(() => {
      for (const ticker of tickers) noted.delete(ticker);
    });
  }
  const timer = setInterval(() => void flush(), FLUSH_MS).unref();
  return {
    add(ticker: Ticker): void {
      if (noted.has(ticker)) return;
      noted.set(ticker, true);
      fresh.push(ticker);
    },
    close(): Promise<void> {
      clearInterval(timer);
      return flush();
    },
  };
}
