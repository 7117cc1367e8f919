import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Logger } from '../../log.ts';
import { unavailableLog } from '../http/log-lines.ts';
import { withDeadline } from '../metering/with-deadline.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a thousand failed calls in a second write two lines that count all of them, without a stack', () => {
  const lines: unknown[] = [];
  const logUnavailable = unavailableLog({ warn: (...line: unknown[]) => lines.push(line[0]) });
  for (let call = 0; call < 1_000; call += 1) logUnavailable(new Error('Connection is closed.'));
  vi.advanceTimersByTime(999);
  expect(lines).toEqual([{ calls: 1, error: 'Error: Connection is closed.' }]);
  vi.advanceTimersByTime(10_000);
  expect(lines).toEqual([
    { calls: 1, error: 'Error: Connection is closed.' },
    { calls: 999, error: 'Error: Connection is closed.' },
  ]);
  logUnavailable('again');
  expect(lines[2]).toEqual({ calls: 1, error: 'again' });
});

test('calls that fail because a service is unavailable do not write a line each', async () => {
  const lines: unknown[] = [];
  const note = (...line: unknown[]) => lines.push(line[0]);
  const log = { warn: note, error: note } as unknown as Logger;
  const api = { log, logUnavailable: unavailableLog(log) };
  for (let call = 0; call < 50; call += 1) {
    const done = await withDeadline(api, () => Promise.reject(new Error('Connection is closed.')));
    expect(done.problem?.status).toBe(503);
  }
  expect(lines).toHaveLength(1);
});
