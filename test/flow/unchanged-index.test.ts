import { afterEach, describe, expect, test } from 'vitest';
import { indexStatus } from '../../src/derive/corpus/status.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { opened } from '../opened.ts';
import { FRIDAY, type IndexReads, indexOf, MONDAY, openIndexReads, upTo } from './index-reads.ts';

const reads = opened(openIndexReads);
const read: IndexReads['read'] = (...args) => reads.read(...args);
const readUsualDays = () => reads.readUsualDays();

afterEach(() => reads.clear());

describe('an index that EDGAR has unchanged', () => {
  const whole = indexOf(MONDAY, upTo(100));
  const asked = () => reads.server.requests.at(-1)?.headers['if-none-match'];

  /** One read from an EDGAR that tells versions apart; true when it sent the index. */
  async function readTagged(bytes: Buffer, on?: string): Promise<boolean> {
    const tag = `"${bytes.length}"`;
    let isSent = false;
    await read(MONDAY, bytes, on, ({ headers }, response) => {
      isSent = headers['if-none-match'] !== tag;
      // A 304 tells the length of what it does not send.
      response.writeHead(isSent ? 200 : 304, { etag: tag, 'content-length': bytes.length });
      response.end(isSent ? bytes : undefined);
    });
    return isSent;
  }

  test('is not sent again, and one that changed is read', async () => {
    await readUsualDays();
    expect(await readTagged(whole)).toBe(true);
    expect(asked()).toBeUndefined();
    expect(await readTagged(whole)).toBe(false);
    expect(await indexStatus(reads.flow.db)).toMatchObject({ indexed_through: MONDAY, index_alarms: [] });
    expect(await readTagged(indexOf(MONDAY, upTo(101)))).toBe(true);
    expect(await filingsIn(reads.flow.db).countDocuments({ indexDay: MONDAY })).toBe(101);
  });

  test('is sent again after the day itself, for what was withdrawn on the day', async () => {
    await readUsualDays();
    for (const count of [100, 99]) await readTagged(indexOf(MONDAY, upTo(count)), `${MONDAY}T20:00:00Z`);
    expect(await readTagged(indexOf(MONDAY, upTo(99)))).toBe(true);
    expect((await indexStatus(reads.flow.db)).withdrawn).toHaveLength(1);
  });

  test('is asked for whole while it has an alarm, and by a release that carries other forms', async () => {
    await readUsualDays();
    await readTagged(whole);
    await expect(read(MONDAY, Buffer.from('<html>'))).rejects.toMatchObject({ code: 'edgar_html' });
    expect(await readTagged(whole)).toBe(true);
    expect(asked()).toBeUndefined();
    await reads.flow.db
      .collection('index_days')
      .updateOne({ _id: MONDAY as never }, { $pop: { 'read.forms': 1 } });
    expect(await readTagged(whole)).toBe(true);
    expect(await readTagged(whole)).toBe(false);
  });

  test('that nobody asked about is an error', async () => {
    await readUsualDays();
    const never = read(MONDAY, whole, undefined, (_, response) => response.writeHead(304).end());
    await expect(never).rejects.toMatchObject({ code: 'edgar_malformed' });
    expect((await indexStatus(reads.flow.db)).indexed_through).toBe(FRIDAY);
  });
});
