import { expect, it } from 'vitest';
import { z } from 'zod';
import { LANES } from '../src/domain/filing/lane.ts';
import type { Accession, Cik, IsoDate, Ticker } from '../src/domain/ids.ts';
import { QUEUES } from './index.ts';
import { defineQueue, type QueueSpec, urgency } from './queue.ts';

const BULLMQ_KEYS = [
  'meta',
  'id',
  'wait',
  'paused',
  'active',
  'events',
  'delayed',
  'completed',
  'failed',
  'marker',
];

it('a job id is never a key name of BullMQ, for any ticker', () => {
  for (const name of BULLMQ_KEYS) {
    const id = QUEUES.brief.jobId({ ticker: name.toUpperCase() as Ticker, version: 1 });
    expect(BULLMQ_KEYS).not.toContain(id);
    expect(id).toBe(`brief-${name.toUpperCase()}-v1`);
  }
});

it('job ids are built from checked ids only: no colon, no bare integer, no blanks', () => {
  const spec = defineQueue({
    ...QUEUES.poll,
    payload: z.strictObject({ slot: z.number() }),
    jobId: () => 'sec:13f:0000950123-18-011885',
  });
  expect(() => spec.jobId({ slot: 1 })).toThrow('is not a job id');
  expect(() => defineQueue({ ...spec, jobId: () => '42' }).jobId({ slot: 1 })).toThrow();
  expect(() => defineQueue({ ...spec, jobId: () => 'brief-A B' }).jobId({ slot: 1 })).toThrow();
});

it('equal payloads are one job and different ones are two', () => {
  const filing = { accession: '0000950123-18-011885' as Accession, filedDate: '2018-11-14' as IsoDate };
  expect(QUEUES.parse.jobId({ ...filing, run: 0 })).toBe(QUEUES.parse.jobId({ ...filing, run: 0 }));
  expect(QUEUES.parse.jobId({ ...filing, run: 0 })).not.toBe(QUEUES.parse.jobId({ ...filing, run: 1 }));
  const [one, later] = [1, 2].map((version) => QUEUES.insider.jobId({ cik: '0001067983' as Cik, version }));
  expect(one).not.toBe(later);
});

it('a queue of invalidations has a key without a version, and keeps no failed job that would block it', () => {
  const specs = Object.values(QUEUES) as unknown as QueueSpec<unknown>[];
  const isKeyed = ({ payload }: QueueSpec<unknown>): boolean =>
    payload instanceof z.ZodObject && 'version' in payload.shape;
  const versioned = specs.filter(isKeyed);
  expect(versioned.map(({ keepsFailed }) => keepsFailed)).toEqual(versioned.map(() => false));
  const [one, other] = [1, 2].map((version) => QUEUES.insider.key({ cik: '0001067983' as Cik, version }));
  expect(one).toBe(other);
  expect(one).not.toBeNull();
  expect(versioned.map(({ name }) => name)).toContain('insider');
});

it('a part of history has one waiting job at most; filings that a job names have one each', () => {
  for (const { key, jobId } of [QUEUES.fetch, QUEUES.parse, QUEUES.diff]) {
    expect(key({ part: '1', at: 5 })).toBe(key({ part: '1', at: 6 }));
    expect(jobId({ part: '1', at: 5 })).not.toBe(jobId({ part: '1', at: 6 }));
  }
  for (const { key } of [QUEUES.fetch, QUEUES.parse]) {
    expect(key({ accession: '0000950123-18-011885' as Accession, run: 0 })).toBeNull();
  }
});

it('live comes before reconcile before backfill, and in a lane the later day first, within the priorities of BullMQ (rule 13.4)', () => {
  const days = ['2400-01-01', '2026-11-20', '2026-11-19', '1993-01-04', '1970-01-01'] as IsoDate[];
  const priorities = LANES.flatMap((lane) => days.map((day) => urgency({ lane, day })));
  expect(priorities).toEqual([...priorities].sort((one, other) => one - other));
  expect(new Set(priorities).size).toBe(3 * days.length);
  expect(priorities.every((one) => Number.isInteger(one) && one > 0 && one < 2 ** 21)).toBe(true);
});

it('a job without a filing date is read', () => {
  const waiting = { accession: '0000950123-18-011885', run: 0 };
  for (const spec of [QUEUES.fetch, QUEUES.parse]) expect(spec.payload.safeParse(waiting).success).toBe(true);
});

it('one id for all dispatches keeps no failed one', () => {
  expect(QUEUES.dispatch.jobId({ slot: 2 })).toBe(QUEUES.dispatch.jobId({ slot: 4 }));
  expect(QUEUES.dispatch.keepsFailed).toBe(false);
});

it('what is computed over a whole quarter, and briefs in bulk, are in no group with what brings filings in', () => {
  const inGroup = (group: string) =>
    Object.values(QUEUES).flatMap((spec) => (spec.group === group ? [spec.name] : []));
  expect(inGroup('briefs')).toEqual(['brief', 'upkeep']);
  expect(inGroup('heavy').sort()).toEqual(['peers', 'search']);
  expect(inGroup('live')).toEqual(expect.arrayContaining(['poll', 'fetch', 'parse', 'diff', 'dispatch']));
});

it('the feed is polled every minute from 6 am to ten past 10 pm on weekdays (rule 10.4)', () => {
  expect(QUEUES.poll.schedule).toEqual([
    { cron: '0 * 6-21 * * 1-5', slotSeconds: 60 },
    { cron: '0 0-10 22 * * 1-5', slotSeconds: 60 },
  ]);
});

it('a payload that is not made of ids is refused', () => {
  const refuses = (payload: unknown, spec: { payload: z.ZodType }) =>
    expect(spec.payload.safeParse(payload).success).toBe(false);
  refuses({ accession: '../etc/passwd', run: 0 }, QUEUES.fetch);
  refuses({ ticker: 'aapl', version: 1 }, QUEUES.brief);
  refuses({ cik: '1067983', version: 1 }, QUEUES.insider);
  refuses({ part: '8', at: 0 }, QUEUES.diff);
  refuses({ date: '2018-02-30' as IsoDate, run: 0 }, QUEUES.reconcile);
  refuses({ slot: 1, extra: true }, QUEUES.dispatch);
});

it('every queue describes itself and is named like its key', () => {
  for (const [key, spec] of Object.entries(QUEUES)) {
    expect(spec.name).toBe(key);
    expect(spec.about.length).toBeGreaterThan(20);
  }
});
