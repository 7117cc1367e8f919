import { expect, test } from 'vitest';
import { pack, unpack } from './pack.ts';

test('a small packed document keeps no more memory than its own bytes need', () => {
  const value = Array.from({ length: 1_000 }, (_, at) => ({ cusip: `03783310${at}`, shares: at * 7_919 }));
  const { buffer } = pack(value);
  expect(buffer.length).toBeGreaterThan(4_096);
  expect(buffer.buffer.byteLength).toBeLessThanOrEqual(2 * buffer.length);
});

test('a value of several chunks is packed whole', () => {
  const value = Array.from({ length: 40_000 }, (_, at) => Math.sin(at));
  const packed = pack(value);
  expect(packed.buffer.length).toBeGreaterThan(2 * 65_536);
  expect(unpack(packed)).toEqual(value);
});
