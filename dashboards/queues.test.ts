import { expect, test } from 'vitest';
import { finishedByHour } from './facts.ts';

const MINUTE = 60_000;
const NOW = new Date('2018-11-30T12:00:30Z');
const minutesAgo = (minutes: number) => NOW.getTime() - minutes * MINUTE;
const atHour = (counts: Record<number, number>) => Array.from({ length: 24 }, (_, hour) => counts[hour] ?? 0);

test('jobs of the last minute of a queue count, though BullMQ has not closed that minute', () => {
  const meta = { count: 74, prevTS: minutesAgo(5), prevCount: 0 };
  expect(finishedByHour({ meta, data: [] }, NOW)).toEqual(atHour({ 23: 74 }));
});

test('an hour is reckoned from now, not from the last finished job, and a day without jobs is empty', () => {
  const data = [2, ...new Array<number>(59).fill(0), 5];
  const meta = (hours: number) => ({ count: 10, prevTS: minutesAgo(60 * hours), prevCount: 9 });
  expect(finishedByHour({ meta: meta(0), data }, NOW)).toEqual(atHour({ 23: 3, 22: 5 }));
  expect(finishedByHour({ meta: meta(3), data }, NOW)).toEqual(atHour({ 20: 3, 19: 5 }));
  expect(finishedByHour({ meta: meta(23), data }, NOW)).toEqual(atHour({ 0: 3 }));
  expect(finishedByHour({ meta: meta(48), data }, NOW)).toEqual(atHour({}));
});

test('a queue that never finished a job has an empty day', () => {
  expect(finishedByHour({ meta: { count: 0, prevTS: 0, prevCount: 0 }, data: [] }, NOW)).toEqual(atHour({}));
});
