import { expect, test } from 'vitest';
import type { Ticker } from '../../domain/ids.ts';
import { briefCache, cachedBrief } from './briefs.ts';

const KB = 1_024;
const [A, B, C, D] = ['A', 'B', 'C', 'D'] as [Ticker, Ticker, Ticker, Ticker];

const brief = (ticker: Ticker, kilobytes = 10) =>
  cachedBrief({ briefId: ticker, body: Buffer.alloc(kilobytes * KB), gzip: Buffer.alloc(KB) });

test('of briefs that do not fit together the one not asked for longest is dropped', () => {
  const cache = briefCache(3 * 13 * KB);
  for (const ticker of [A, B, C]) cache.keep(ticker, brief(ticker));
  expect(cache.fresh(A)).not.toBeNull();
  cache.keep(D, brief(D));
  expect([A, B, C, D].filter((ticker) => cache.any(ticker) !== null)).toEqual([A, C, D]);
});

test('large briefs leave room for fewer: bytes are counted, not briefs', () => {
  const cache = briefCache(3 * 13 * KB);
  for (const ticker of [A, B]) cache.keep(ticker, brief(ticker));
  cache.keep(C, brief(C, 30));
  expect([A, B, C].filter((ticker) => cache.any(ticker) !== null)).toEqual([C]);
});

test('what expired is not fresh any more, stays in memory, and is fresh when it is kept again', async () => {
  const cache = briefCache(KB * KB);
  cache.keep(A, brief(A));
  cache.expireAll();
  expect([cache.fresh(A), cache.any(A)?.brief.briefId]).toEqual([null, A]);
  await new Promise((resolve) => setImmediate(resolve));
  cache.keep(A, brief(A));
  expect(cache.fresh(A)).not.toBeNull();
});
