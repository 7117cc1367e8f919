import { briefCache } from '../../src/api/cache/brief-lookup.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { chanceOf } from '../market/chance.ts';
import type { Wide } from './wide-brief.ts';

const TICKERS = 10_000;
const CALLS = 200_000;
/** Calls before the count begins: the cache is full by then. */
const WARM_UP = 100_000;

type SizedBy = {
  /** Bodies and gzips of briefs, by their number of holders. */
  readonly sizes: ReadonlyMap<number, Wide>;
  readonly maxBytes: number;
};

/** The share of calls that the cache of an API process answers, when the n-th ticker is asked for 1/n as often. */
export function cacheHits({ sizes, maxBytes }: SizedBy): number {
  const cache = briefCache(maxBytes);
  const { next } = chanceOf('cache');
  const shares = zipf(TICKERS);
  let hits = 0;
  for (let call = 0; call < WARM_UP + CALLS; call += 1) {
    const rank = rankAt(shares, next());
    const ticker = `T${rank}` as Ticker;
    if (cache.fresh(ticker) === null) cache.keep(ticker, cache.packed(briefOf(rank, sizes)));
    else if (call >= WARM_UP) hits += 1;
  }
  return hits / CALLS;
}

/** Sums of 1/n, up to 1. */
function zipf(count: number): Float64Array {
  const sums = new Float64Array(count);
  let total = 0;
  for (let at = 0; at < count; at += 1) sums[at] = total += 1 / (at + 1);
  return sums.map((sum) => sum / total);
}

function rankAt(sums: Float64Array, drawn: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 1) < drawn) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A stock of rank n has as many holders as in bench/market; the most widely held one has 6,000. */
function briefOf(rank: number, sizes: ReadonlyMap<number, Wide>) {
  const holders = 6_000 * (13 / (rank + 13)) ** 0.7;
  const [, size] = [...sizes].reduce((nearest, one) =>
    Math.abs(Math.log(one[0] / holders)) < Math.abs(Math.log(nearest[0] / holders)) ? one : nearest,
  );
  const [body, gzip] = [Buffer.alloc(size.bytes), Buffer.alloc(size.gzipBytes)];
  return { briefId: `${rank}`, body, gzip, mayExpire: false };
}
