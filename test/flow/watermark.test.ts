import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import type { Pipeline } from '../../jobs/worker/open.ts';
import { indexStatus } from '../../src/derive/corpus/status.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { clearIndexAlarm } from '../../src/store/filing/alarms.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import {
  emptyIndexDay,
  indexDaysIn,
  saveBackfill,
  saveIndexDays,
} from '../../src/store/filing/index-days.ts';
import { tidemark } from '../cli/tidemark.ts';
import { fixture } from '../edgar/fixture.ts';
import type { Script } from '../edgar/scripted-server.ts';
import { opened } from '../opened.ts';
import type { Flow } from './flow.ts';
import {
  FRIDAY,
  HEAD,
  type IndexReads,
  indexOf,
  MONDAY,
  MONDAYS,
  openIndexReads,
  upTo,
} from './index-reads.ts';

const reads = opened(openIndexReads);
let flow: Flow;
let stages: Pipeline;
const read: IndexReads['read'] = (...args) => reads.read(...args);
const readUsualDays = () => reads.readUsualDays();

beforeAll(async () => {
  ({ flow, stages } = reads);
}, 60_000);
afterEach(() => reads.clear());

describe('a read that cannot be believed holds the watermark and raises an alarm', () => {
  const whole = indexOf(MONDAY, upTo(100));
  const cases: [string, Buffer, string][] = [
    ['far fewer filings than the same weekday', indexOf(MONDAY, upTo(30)), 'edgar_implausible'],
    ['far more', indexOf(MONDAY, upTo(300)), 'edgar_implausible'],
    ['an empty file on a business day', indexOf(MONDAY, []), 'edgar_implausible'],
    ['an HTML page', fixture('getcurrent-05100-503.html'), 'edgar_html'],
    ['a file that is cut within a row', whole.subarray(0, 5_000), 'edgar_malformed'],
  ];
  test.each(cases)('%s', async (_, bytes, code) => {
    await readUsualDays();
    await expect(read(MONDAY, bytes)).rejects.toMatchObject({ code, retry: true });
    const held = await indexStatus(flow.db);
    expect(held).toMatchObject({
      indexed_through: FRIDAY,
      index_alarms: [{ day: MONDAY, reason: code, reads: 1 }],
    });
    await read(MONDAY, whole);
    expect(await indexStatus(flow.db)).toMatchObject({ indexed_through: MONDAY, index_alarms: [] });
  });

  test('and what it lists is fetched all the same', async () => {
    await readUsualDays();
    await expect(read(MONDAY, indexOf(MONDAY, upTo(30)))).rejects.toThrow('too_few');
    expect(await filingsIn(flow.db).countDocuments({ filedDate: MONDAY })).toBe(30);
  });
});

test('history that is read from its end is judged by the weeks after it (rule 10.5)', async () => {
  for (const day of MONDAYS) await read(day, indexOf(day, upTo(100)));
  const earlier = '2026-01-05' as IsoDate;
  await expect(read(earlier, indexOf(earlier, upTo(30)))).rejects.toThrow('too_few');
  await read(earlier, indexOf(earlier, upTo(100)));
  expect((await indexStatus(flow.db)).index_alarms.map(({ day }) => day)).not.toContain(earlier);
});

test('the index of a business day that is still missing in the morning raises an alarm until it is there (rule 10.5)', async () => {
  await readUsualDays();
  const missing: Script = (_, response) => response.writeHead(404).end('no such file');
  const readMissing = (on: string) => reads.read(MONDAY, Buffer.alloc(0), on, missing);
  await expect(readMissing('2026-02-10T10:59:00Z')).rejects.toMatchObject({ code: 'edgar_not_found' });
  expect((await indexStatus(flow.db)).index_alarms).toEqual([]);
  await expect(readMissing('2026-02-10T11:01:00Z')).rejects.toMatchObject({ code: 'edgar_not_found' });
  expect(await indexStatus(flow.db)).toMatchObject({
    indexed_through: FRIDAY,
    index_alarms: [{ day: MONDAY, reason: 'edgar_not_found' }],
  });
  await read(MONDAY, indexOf(MONDAY, upTo(100)));
  expect(await indexStatus(flow.db)).toMatchObject({ indexed_through: MONDAY, index_alarms: [] });
});

describe('an equal second read is believed', () => {
  test('at once when it lists more than usual', async () => {
    await readUsualDays();
    await expect(read(MONDAY, indexOf(MONDAY, upTo(300)))).rejects.toThrow('too_many');
    await read(MONDAY, indexOf(MONDAY, upTo(300)));
    expect((await indexStatus(flow.db)).indexed_through).toBe(MONDAY);
  });

  test('when it lists less, only after the day is final and half a day of doubt, however often it is read', async () => {
    await readUsualDays();
    const few = indexOf(MONDAY, upTo(30));
    const quick = ['00', '10', '20', '30', '40', '50'].map((minute) => `2026-02-13T12:${minute}:00Z`);
    for (const on of ['2026-02-10', ...quick]) {
      await expect(read(MONDAY, on === '2026-02-10' ? few : indexOf(MONDAY, upTo(31)), on)).rejects.toThrow(
        'too_few',
      );
    }
    // Other bytes are doubted from their first read on.
    const rewritten = indexOf(MONDAY, upTo(32));
    await expect(read(MONDAY, rewritten, '2026-02-14T00:30:00Z')).rejects.toThrow('too_few');
    await expect(read(MONDAY, rewritten, '2026-02-14T12:29:00Z')).rejects.toThrow('too_few');
    await read(MONDAY, rewritten, '2026-02-14T12:30:00Z');
    expect(await indexStatus(flow.db)).toMatchObject({ indexed_through: MONDAY, index_alarms: [] });
  });
});

describe('a day that is read again', () => {
  test('brings what was missing; a filing that vanished is flagged until it is listed again', async () => {
    await readUsualDays();
    await read(MONDAY, indexOf(MONDAY, upTo(100)));
    await read(MONDAY, indexOf(MONDAY, [...upTo(110).slice(1)]), '2026-02-11');
    expect(await filingsIn(flow.db).countDocuments({ filedDate: MONDAY })).toBe(110);
    const { withdrawn } = await indexStatus(flow.db);
    expect(withdrawn).toEqual(['0009020900-26-000001']);
    await read(MONDAY, indexOf(MONDAY, upTo(110)), '2026-02-12');
    expect((await indexStatus(flow.db)).withdrawn).toEqual([]);
  });

  test('flags a filing by the index that listed it, whatever its filing date, until any index lists it', async () => {
    await readUsualDays();
    // Accepted late on Friday: its date is Monday's, and it stands in the index of Friday.
    const late = indexOf(FRIDAY, upTo(101))
      .toString()
      .replace(/20260206(?=\|.*000101)/, '20260209');
    await read(FRIDAY, Buffer.from(late));
    await read(MONDAY, indexOf(MONDAY, upTo(100)));
    expect((await indexStatus(flow.db)).withdrawn).toEqual([]);
    await read(FRIDAY, indexOf(FRIDAY, upTo(100)));
    expect((await indexStatus(flow.db)).withdrawn).toEqual(['0009020600-26-000101']);
    const moved = `${indexOf(MONDAY, upTo(100))}${late.trimEnd().split('\n').at(-1)}\n`;
    await read(MONDAY, Buffer.from(moved));
    expect((await indexStatus(flow.db)).withdrawn).toEqual([]);
    await read(FRIDAY, indexOf(FRIDAY, upTo(100)));
    expect((await indexStatus(flow.db)).withdrawn).toEqual([]);
  });

  test('flags nothing on the day itself, nor by an index that lists a selection', async () => {
    await readUsualDays();
    await read(MONDAY, indexOf(MONDAY, upTo(100)));
    await read(MONDAY, indexOf(MONDAY, upTo(90)), '2026-02-09');
    const selection = HEAD.map((line) => line.replace('EDGAR', 'a selection of EDGAR'));
    await read(MONDAY, indexOf(MONDAY, upTo(1), selection), '2026-02-11');
    expect((await indexStatus(flow.db)).withdrawn).toEqual([]);
  });

  test('that fails keeps the watermark where an earlier read brought it', async () => {
    await readUsualDays();
    await read(MONDAY, indexOf(MONDAY, upTo(100)));
    await expect(read(MONDAY, indexOf(MONDAY, []), '2026-02-11')).rejects.toThrow('empty');
    const { indexed_through: through, index_alarms: alarms } = await indexStatus(flow.db);
    expect([through, alarms.map(({ day }) => day)]).toEqual([MONDAY, [MONDAY]]);
  });
});

describe('the next backfill', () => {
  const LONG_AGO = '2026-01-12' as IsoDate;
  const HOLIDAY = '2026-01-19' as IsoDate;

  /** A backfill of an EDGAR that lists the indexes of these days; returns the days that it enqueues. */
  async function backfill(listed: readonly IsoDate[]): Promise<string[]> {
    const { producer } = stages.context;
    const edgar = {
      ...stages.context.edgar,
      isLocal: false,
      listYears: async () => [2026],
      listDataSets: async () => [],
      listDailyIndexes: async (_: number, quarter: number) => (quarter === 1 ? [...listed] : []),
    };
    const days: string[] = [];
    const enqueueAll = async (_: unknown, payloads: readonly { date: string }[]): Promise<void> => {
      days.push(...payloads.map(({ date }) => date));
    };
    const context = { ...stages.context, edgar, now: reads.now, producer: { ...producer, enqueueAll } };
    await JOBS.backfill(context as JobContext, { slot: 9, from: LONG_AGO });
    return days;
  }

  test('reads a day with an alarm again, however old and well read before', async () => {
    for (const day of MONDAYS) await read(day, indexOf(day, upTo(100)));
    expect(await backfill(MONDAYS)).not.toContain(LONG_AGO);
    await expect(read(LONG_AGO, Buffer.from('<html>'))).rejects.toThrow();
    expect(await backfill(MONDAYS)).toContain(LONG_AGO);
  });

  test('takes no day for empty because a listing lacks it: only its own index says that there is none', async () => {
    await expect(read(HOLIDAY, Buffer.from('<html>'))).rejects.toThrow();
    const unlisted = '2026-01-13' as IsoDate;
    const asked = await backfill([LONG_AGO]);
    expect(asked).toEqual(expect.arrayContaining([LONG_AGO, unlisted, HOLIDAY]));
    expect(await indexDaysIn(flow.db).countDocuments({ _id: unlisted })).toBe(0);
    expect((await indexStatus(flow.db)).index_alarms).toContainEqual(
      expect.objectContaining({ day: HOLIDAY }),
    );
  });

  test('reads a day that had no index once and is listed now', async () => {
    await saveIndexDays(flow.db, [emptyIndexDay(LONG_AGO, reads.now().toISOString())]);
    expect(await backfill(MONDAYS)).toContain(LONG_AGO);
  });
});

test('tidemark status shows the watermark, the alarms, a skipped day and withdrawn filings', async () => {
  await readUsualDays();
  const tuesday = '2026-02-10' as IsoDate;
  await read(tuesday, indexOf(tuesday, upTo(60)), '2026-02-11');
  await read(tuesday, indexOf(tuesday, upTo(59)), '2026-02-11');
  await expect(read(MONDAY, Buffer.from('<html>'), '2026-02-11')).rejects.toThrow();
  const { stdout } = await tidemark(flow.world, 'status');
  expect(stdout).toMatch(/indexed_through +2026-02-06\n/);
  expect(stdout).toContain('withdrawn from the index: 0009021000-26-000060');
  expect(stdout).toMatch(/ALARM 2026-02-09 edgar_html: .+\n/);
  await clearIndexAlarm(flow.db, MONDAY);
  await saveBackfill(flow.db, {
    slot: 2,
    from: FRIDAY,
    through: tuesday,
    days: [],
    at: reads.now().toISOString(),
  });
  const json = JSON.parse((await tidemark(flow.world, 'status', '--json')).stdout) as object;
  expect(json).toMatchObject({
    indexed_through: FRIDAY,
    withdrawn: ['0009021000-26-000060'],
    index_alarms: [{ day: MONDAY, reason: 'not_read' }],
  });
});
