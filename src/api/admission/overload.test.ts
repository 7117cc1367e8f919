import { expect, test } from 'vitest';
import { isKeyless } from './keyless.ts';
import { watchOverload } from './overload.ts';

test.each([
  ['/v1/funds', false],
  ['/mcp', false],
  ['/mcp?x', false],
  ['/health/live', false],
  ['/', true],
  ['/v1x', true],
  ['/briefs/ccm_1.json', true],
])('%s is a request without a key: %s', (url, expected) => {
  expect(isKeyless(url)).toBe(expected);
});

test('readers of pages are refused at half the delay of the event loop at which calls are', async () => {
  const overload = watchOverload({ maxInFlight: 1_000, maxDelayMs: 400 });
  const busy = setInterval(() => {
    for (const end = performance.now() + 300; performance.now() < end; );
  }, 1);
  await expect.poll(() => overload.isOver(true) && !overload.isOver()).toBe(true);
  clearInterval(busy);
  await expect.poll(() => overload.isOver(true)).toBe(false);
  overload.close();
});
