import { expect, test } from 'vitest';
import { lastFeedMinute, minutesBehind } from './lane.ts';

const at = (time: string): number => Date.parse(time);
const lastOf = (time: string): string => new Date(lastFeedMinute(at(time))).toISOString();

test('the feed grows from 6 am to ten past 10 pm in New York on business days', () => {
  expect(lastOf('2026-11-23T15:04:59Z')).toBe('2026-11-23T15:04:00.000Z');
  expect(lastOf('2026-11-23T10:59:00Z')).toBe('2026-11-21T03:10:00.000Z');
  expect(lastOf('2026-11-24T04:00:00Z')).toBe('2026-11-24T03:10:00.000Z');
  // In summer New York is four hours behind; a holiday is skipped.
  expect(lastOf('2026-07-06T09:00:00Z')).toBe('2026-07-03T02:10:00.000Z');
});

test('nothing is behind over a weekend; an unread feed and an unstored filing are, whichever is longer', () => {
  const friday = at('2026-11-21T03:10:04Z');
  expect(minutesBehind(at('2026-11-22T12:00:00Z'), { polledMs: friday, waitingSinceMs: null })).toBe(0);
  const now = at('2026-11-23T15:30:30Z');
  const polledMs = at('2026-11-23T15:20:02Z');
  expect(minutesBehind(now, { polledMs, waitingSinceMs: null })).toBe(9);
  expect(minutesBehind(now, { polledMs, waitingSinceMs: at('2026-11-23T15:00:00Z') })).toBe(30);
});
