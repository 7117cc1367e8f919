import { expect, test } from 'vitest';
import { maxSilenceMs } from './health-command.ts';

const NOBODY = 2 ** 30;

test('a worker that computes for minutes is not taken for dead; one that does not run any more is, in a minute', () => {
  expect(maxSilenceMs({ role: 'worker', pid: process.pid })).toBe(600_000);
  expect(maxSilenceMs({ role: 'api', pid: process.pid })).toBe(60_000);
  expect(maxSilenceMs({ role: 'worker', pid: NOBODY })).toBeLessThan(60_000);
});
