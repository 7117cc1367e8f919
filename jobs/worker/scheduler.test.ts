import { afterEach, expect, test, vi } from 'vitest';
import { createLogger } from '../../src/log.ts';
import type { Producer } from './producer.ts';
import { startScheduler } from './scheduler.ts';

afterEach(() => vi.useRealTimers());

type Fire = { readonly queue: string; readonly at: string; readonly slot: number };

/** What the clock enqueues between two instants, in order; not what it catches up with at boot. */
async function firesBetween(from: string, through: string): Promise<Fire[]> {
  vi.useFakeTimers({ now: Date.parse(from) });
  const fires: Fire[] = [];
  const enqueue: Producer['enqueue'] = async ({ name }, payload) => {
    const { slot, kind } = payload as { slot: number; kind?: string };
    fires.push({ queue: kind ?? name, at: new Date().toISOString().slice(0, 19), slot });
  };
  const now = () => new Date();
  const scheduler = await startScheduler({ enqueue } as Producer, {
    log: createLogger('silent', 'test'),
    now,
  });
  fires.length = 0;
  await vi.advanceTimersByTimeAsync(Date.parse(through) - Date.parse(from));
  await scheduler.close();
  return fires;
}

const timesOf = (fires: readonly Fire[], queue: string) =>
  fires.flatMap((fire) => (fire.queue === queue ? [fire.at] : []));

/** The daily runs at 3:30, 4:00 and 5:15 of a day in New York, of this offset from UTC. */
function expectDaily(fires: readonly Fire[], day: string, offset: number): void {
  const at = (hours: number) => [
    new Date(Date.parse(day) + (hours - offset) * 3_600_000).toISOString().slice(0, 19),
  ];
  expect(timesOf(fires, 'events')).toEqual(at(3.5));
  expect(timesOf(fires, 'expiry')).toEqual(at(4));
  expect(timesOf(fires, 'reference')).toEqual(at(5.25));
}

test('on the day that repeats an hour in New York, both have every dispatch and hourly run, and daily ones run once', async () => {
  // From 00:58 EDT to 05:30 EST.
  const fires = await firesBetween('2026-11-01T04:58:00Z', '2026-11-01T10:30:00Z');
  const dispatches = fires.filter(({ queue }) => queue === 'dispatch');
  expect(dispatches).toHaveLength((332 * 60) / 2);
  expect(new Set(dispatches.map(({ slot }) => slot)).size).toBe(dispatches.length);
  const hours = ['05', '06', '07', '08', '09', '10'];
  expect(timesOf(fires, 'ledger')).toEqual(hours.map((hour) => `2026-11-01T${hour}:20:00`));
  expectDaily(fires, '2026-11-01', -5);
});

test('on the day that skips an hour, daily ones run once', { tags: ['long'] }, async () => {
  // From 00:58 EST to 05:30 EDT.
  expectDaily(await firesBetween('2027-03-14T05:58:00Z', '2027-03-14T09:30:00Z'), '2027-03-14', -4);
});

test('what runs every two seconds or every hour has no gap and no repetition where March skips an hour', async () => {
  // From 01:50 EST to 03:25 EDT.
  const fires = await firesBetween('2027-03-14T06:50:00Z', '2027-03-14T07:25:00Z');
  const slots = fires.flatMap(({ queue, slot }) => (queue === 'dispatch' ? [slot] : []));
  expect(slots).toHaveLength((35 * 60) / 2);
  expect(slots.every((slot, at) => at === 0 || slot - (slots[at - 1] ?? 0) === 2)).toBe(true);
  expect(timesOf(fires, 'ledger')).toEqual(['2027-03-14T07:20:00']);
});

test('a clock that starts inside of the repeated hour misses nothing, the second time as the first', async () => {
  for (const [from, hour] of [
    ['2026-11-01T05:15:01Z', '05'],
    ['2026-11-01T06:15:01Z', '06'],
  ] as const) {
    const fires = await firesBetween(from, `2026-11-01T${hour}:25:01Z`);
    expect(timesOf(fires, 'dispatch')).toHaveLength((10 * 60) / 2);
    expect(timesOf(fires, 'ledger')).toEqual([`2026-11-01T${hour}:20:00`]);
    expect(timesOf(fires, 'expiry')).toEqual([]);
  }
});

test('a clock that runs over a weekend with a change polls from Monday at 6 in New York', {
  tags: ['long'],
  timeout: 120_000,
}, async () => {
  const fires = await firesBetween('2026-10-31T02:09:30Z', '2026-11-02T11:01:30Z');
  const polls = ['2026-10-31T02:10:00', '2026-11-02T11:00:00', '2026-11-02T11:01:00'];
  expect(timesOf(fires, 'poll')).toEqual(polls);
});

test('the feed is polled until ten minutes after EDGAR stops accepting filings', async () => {
  const fires = await firesBetween('2026-11-03T02:58:30Z', '2026-11-03T03:30:00Z');
  const minutes = ['02:59', ...Array.from({ length: 11 }, (_, n) => `03:${String(n).padStart(2, '0')}`)];
  expect(timesOf(fires, 'poll')).toEqual(minutes.map((minute) => `2026-11-03T${minute}:00`));
});

test('so it is on a Friday in summer, whose evening is Saturday in UTC, and the index of the night is read after', async () => {
  const fires = await firesBetween('2026-07-11T02:08:30Z', '2026-07-11T02:40:00Z');
  expect(timesOf(fires, 'poll')).toEqual(['2026-07-11T02:09:00', '2026-07-11T02:10:00']);
  expect(timesOf(fires, 'backfill')).toEqual(['2026-07-11T02:30:00']);
});
