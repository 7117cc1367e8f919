import { expect, test } from 'vitest';
import { rateLimited, rememberOverRate } from './rate-limit.ts';

test('a refusal says in its header and in its sentence how many seconds to wait', () => {
  const { message, headers } = rateLimited('Too many.', 2_001);
  expect([message, headers]).toEqual(['Too many. Try again in 3 seconds.', ['Retry-After', '3']]);
});

test('an organisation over its rate waits as long as Redis said, and then Redis judges again', () => {
  let now = 0;
  const overRate = rememberOverRate(() => now);
  overRate.note('greedy', 10);
  now = 4;
  expect([overRate.waitOf('greedy'), overRate.waitOf('other')]).toEqual([6, 0]);
  now = 10;
  expect(overRate.waitOf('greedy')).toBe(0);
});
