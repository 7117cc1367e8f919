import { expect, test, vi } from 'vitest';
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

test('readers of pages are refused at half the delay of the event loop at which calls are', () => {
  vi.useFakeTimers();
  let delay = 300;
  const loop = { delayMs: () => delay, close: () => undefined };
  const overload = watchOverload({ maxInFlight: 1_000, maxDelayMs: 400 }, loop);
  const refused = () => [overload.isOver(true), overload.isOver()];
  const windows = (delayMs: number) => {
    delay = delayMs;
    vi.advanceTimersByTime(1_000);
    return refused();
  };
  expect(refused()).toEqual([false, false]);
  expect(windows(190)).toEqual([false, false]);
  expect(windows(300)).toEqual([true, false]);
  expect(windows(500)).toEqual([true, true]);
  expect(windows(10)).toEqual([false, false]);
  overload.close();
  vi.useRealTimers();
});
