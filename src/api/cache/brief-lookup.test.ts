import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Ticker } from '../../domain/ids.ts';
import { briefCache } from './brief-lookup.ts';

const KB = 1_024;
const [A, B, C, D] = ['A', 'B', 'C', 'D'] as [Ticker, Ticker, Ticker, Ticker];

const { packed } = briefCache(KB);
const brief = (ticker: Ticker, kilobytes = 10) =>
  packed({ briefId: ticker, body: Buffer.alloc(KB), gzip: Buffer.alloc(kilobytes * KB), mayExpire: false });

test('of briefs that do not fit together the one not asked for longest is dropped', () => {
  const cache = briefCache(42 * KB);
  for (const ticker of [A, B, C]) cache.keep(ticker, brief(ticker));
  expect(cache.fresh(A)).not.toBeNull();
  cache.keep(D, brief(D));
  expect([A, B, C, D].filter((ticker) => cache.any(ticker) !== null)).toEqual([A, C, D]);
});

test('large briefs leave room for fewer: bytes are counted, not briefs', () => {
  const cache = briefCache(42 * KB);
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

test('a brief in memory is sent as gzip and in plain, and both count', () => {
  const cache = briefCache(42 * KB);
  const body = Buffer.from(JSON.stringify({ data: 'x'.repeat(10 * KB) }));
  const gzip = gzipSync(body);
  for (const ticker of [A, B, C, D])
    cache.keep(ticker, cache.packed({ briefId: ticker, body, gzip, mayExpire: false }));
  expect([A, B, C, D].map((ticker) => cache.any(ticker) !== null)).toEqual([false, true, true, true]);
  const cached = cache.fresh(D);
  expect(cached?.replies.plain.body?.equals(body)).toBe(true);
  expect(cached?.replies.gzip.body?.equals(gzip)).toBe(true);
  expect(cached?.brief.body.equals(body)).toBe(true);
});

test('of the chunk that zlib filled only the bytes of the brief stay in memory', () => {
  const gzip = gzipSync(Buffer.alloc(5 * KB, 'random enough'));
  expect(gzip.buffer.byteLength).toBeGreaterThan(gzip.byteLength);
  const kept = packed({ briefId: A, body: Buffer.alloc(KB), gzip, mayExpire: false }).brief.gzip;
  // Node cuts small buffers from a shared piece of this size.
  expect(kept.buffer.byteLength).toBeLessThanOrEqual(Math.max(kept.byteLength, Buffer.poolSize));
});
