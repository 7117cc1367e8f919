import { expect, test } from 'vitest';
import { rememberOverRate } from './rate-limit.ts';

test('an organisation over its rate waits as long as Redis said, and then Redis judges again', () => {
  let now = 0;
  const overRate = rememberOverRate(() => now);
  overRate.note('greedy', 10);
  now = 4;
  expect([overRate.waitOf('greedy'), overRate.waitOf('other')]).toEqual([6, 0]);
  now = 10;
  expect(overRate.waitOf('greedy')).toBe(0);
});
