import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect, test, vi } from 'vitest';
import type { AnnouncedResponse } from '../http/given.ts';
import { refuseOverload, watchOverload } from './overload.ts';
import { isKeyless } from './rate-limit.ts';

test.each([
  ['GET', '/v1/funds', false],
  ['POST', '/mcp', false],
  ['POST', '/mcp/', false],
  ['POST', '/mcp?x', false],
  ['POST', '/mcp/catalog', true],
  ['GET', '/health/live', true],
  ['OPTIONS', '/v1/funds', true],
  ['POST', '/v1/funds', true],
  ['GET', '/mcp', true],
  ['GET', '/', true],
  ['GET', '/v1x', true],
  ['GET', '/briefs/ccm_1.json', true],
])('%s %s is a request without a key: %s', (method, url, expected) => {
  expect(isKeyless({ method, url })).toBe(expected);
});

test('strangers are refused at half the delay of the event loop, and calls where it is late without strangers', () => {
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
  expect(windows(10)).toEqual([false, false]);
  expect(windows(500)).toEqual([true, false]);
  expect(windows(500)).toEqual([true, true]);
  expect(windows(10)).toEqual([false, false]);
  overload.close();
  vi.useRealTimers();
});

test('strangers take no place of calls, and are refused at half of all places', () => {
  const overload = watchOverload({ maxInFlight: 4, maxDelayMs: 0 });
  const begin = (method: string, url: string) => {
    const req = { method, url, socket: new EventEmitter() };
    overload.watch({ req, whenGiven: () => undefined } as unknown as AnnouncedResponse);
    return [overload.isOver(true), overload.isOver()];
  };
  expect(begin('GET', '/')).toEqual([false, false]);
  for (let more = 0; more < 9; more += 1) expect(begin('GET', '/')).toEqual([true, false]);
  for (let more = 0; more < 3; more += 1) expect(begin('GET', '/v1/funds')).toEqual([true, false]);
  expect(begin('GET', '/v1/funds')).toEqual([true, true]);
  overload.close();
});

test.each([
  ['OPTIONS', '/v1/funds'],
  ['GET', '/health/ready'],
  ['DELETE', '/mcp'],
])(
  '%s %s is never refused: a browser asks it before a call that is paid, a balancer before it sends one',
  (method, url) => {
    const overload = watchOverload({ maxInFlight: 0, maxDelayMs: 0 });
    const req = { method, url, headers: {} } as IncomingMessage;
    expect(refuseOverload(overload, req, new EventEmitter() as AnnouncedResponse)).toBe(false);
    overload.close();
  },
);
