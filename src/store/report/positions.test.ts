import { expect, it } from 'vitest';
import { bucketOf, POSITION_BUCKETS } from './positions.ts';

it('a CUSIP has one bucket for ever, and buckets are evenly filled', () => {
  expect(bucketOf('037833100')).toBe('07d');
  const filled = new Map<string, number>();
  for (let n = 0; n < 12_800; n++) {
    const bucket = bucketOf(String(n).padStart(9, '0'));
    filled.set(bucket, (filled.get(bucket) ?? 0) + 1);
  }
  expect(filled.size).toBe(POSITION_BUCKETS);
  expect(Math.max(...filled.values())).toBeLessThan(200);
});
