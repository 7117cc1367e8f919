import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { parseFeed } from '../../src/edgar/listing/feed.ts';
import { clearIndexAlarm, indexAlarms } from '../../src/store/filing/alarms.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { fixture } from '../edgar/fixture.ts';
import { type ScriptedServer, scriptedServer } from '../edgar/scripted-server.ts';
import { opened } from '../opened.ts';
import { openFlow, openStages } from './flow.ts';
import { openFolder } from './folder.ts';

/** Three recorded pages of one session, and what EDGAR answered past its end. */
const RECORDED = ['00000', '02500', '05000'].map((start) => entriesOf(`getcurrent-${start}.atom`));
const [NEWEST = [], MIDDLE = [], OLDEST = []] = RECORDED;
const PAST_THE_END = fixture('getcurrent-05100-503.html');
const STEP = 80;

const folder = opened(() => openFolder({ accessions: [], symbols: [] }));
const flow = opened(() => openFlow(folder, '2025-12-12'));
let server: ScriptedServer;

function entriesOf(name: string): string[] {
  return fixture(name)
    .toString('latin1')
    .match(/<entry>[\s\S]*?<\/entry>/g) as string[];
}

function pageOf(entries: readonly string[]): Buffer {
  const xml = ['<?xml version="1.0" encoding="ISO-8859-1" ?>', '<feed>', ...entries, '</feed>'].join('\n');
  return Buffer.from(xml, 'latin1');
}

/** Accessions of Forms 4 and 4/A in a page. */
function carriedIn(entries: readonly string[]): string[] {
  const page = parseFeed(pageOf(entries));
  return page.entries.filter(({ form }) => /^4(\/A)?$/.test(form)).map(({ accession }) => accession);
}

/** The feed of Form 4 has these pages, then 503; the feed of 13F is empty. */
function serve(...pages: readonly (readonly string[])[]): void {
  server.play(({ url = '' }, response) => {
    const query = new URL(url, server.url).searchParams;
    const page = pages[Number(query.get('start')) / STEP];
    if (query.get('type') !== '4') answer(response, 200, pageOf([]));
    else if (page === undefined) answer(response, 503, PAST_THE_END);
    else answer(response, 200, pageOf(page));
  });
}

function answer(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, { 'content-length': body.length }).end(body);
}

/** One poll: the starts that it asked for in the feed of Form 4. */
async function poll(): Promise<number[]> {
  const before = server.requests.length;
  await JOBS.poll(stages.context, { slot: 1 });
  return server.requests.slice(before).flatMap(({ url }) => {
    const query = new URL(url, server.url).searchParams;
    return query.get('type') === '4' ? [Number(query.get('start'))] : [];
  });
}

/** A poll of an EDGAR that is not local, on a clock of the time: the number of requests. */
async function pollAt(time: string): Promise<number> {
  const before = server.requests.length;
  const edgar = { ...stages.context.edgar, isLocal: false };
  await JOBS.poll({ ...stages.context, edgar, now: () => new Date(time) }, { slot: 1 });
  return server.requests.length - before;
}

async function stored(): Promise<string[]> {
  return (await filingsIn(flow.db).find().toArray()).map(({ _id }) => _id).sort();
}

beforeAll(async () => {
  server = await scriptedServer();
}, 60_000);
const stages = opened(() => openStages(flow, { edgarUrl: server.url }));

beforeEach(async () => {
  await filingsIn(flow.db).deleteMany({});
});

afterAll(async () => {
  await server?.close();
});

describe('the recorded session', () => {
  test('gives each filing of a carried form once, under its issuer, and no 424B2 or 40-F', async () => {
    const short = OLDEST.slice(0, 60);
    serve(NEWEST, MIDDLE, short);
    expect(await poll()).toEqual([0, 80, 160]);
    const expected = new Set([NEWEST, MIDDLE, short].flatMap(carriedIn));
    expect(await stored()).toEqual([...expected].sort());
    const first = await filingsIn(flow.db).findOne({ company: 'Hinge Health, Inc.' });
    expect(first).toMatchObject({ form: '4', cik: '0001673743' });
  });

  test('that fails with a 503 after a full page of news notes nothing, and the next poll has it all', async () => {
    serve(NEWEST, MIDDLE, OLDEST);
    await expect(poll()).rejects.toMatchObject({ code: 'edgar_unavailable' });
    expect(await stored()).toEqual([]);
    serve(NEWEST, MIDDLE, OLDEST, OLDEST.slice(90));
    expect(await poll()).toEqual([0, 80, 160, 240]);
    expect(await stored()).toHaveLength(new Set(RECORDED.flatMap(carriedIn)).size);
  });

  test('ends with a 503 after a page of known filings', async () => {
    expect(carriedIn(MIDDLE).length).toBeLessThan(30);
    serve(MIDDLE, []);
    await poll();
    serve(MIDDLE);
    expect(await poll()).toEqual([0, 80]);
  });
});

describe('known ground', () => {
  test('is thirty known filings in a row: one page is enough', async () => {
    expect(carriedIn(NEWEST).length).toBeGreaterThan(30);
    serve(NEWEST, []);
    expect(await poll()).toEqual([0, 80]);
    expect(await poll()).toEqual([0]);
  });

  test('is not the first known filing: those behind it are found', async () => {
    // The end of the first page is known by the daily index, as the next page is not.
    serve(NEWEST.slice(70));
    await poll();
    const known = await stored();
    serve(NEWEST, MIDDLE, []);
    expect(await poll()).toEqual([0, 80, 160]);
    expect(known.length).toBeGreaterThan(5);
    expect(await stored()).toHaveLength(new Set([NEWEST, MIDDLE].flatMap(carriedIn)).size);
  });
});

describe('a filing that is not noted, because its date is later,', () => {
  test('does not hide the known ground behind it', async () => {
    const later = NEWEST.map((entry) => entry.replaceAll(/\d{4}-\d\d-\d\d/g, '2025-12-15'));
    serve(later, MIDDLE, OLDEST, []);
    expect(await poll()).toEqual([0]);
    expect(await stored()).toEqual([]);
  });
});

describe('a feed that EDGAR has unchanged', () => {
  /** Each page with a tag of its own; a page that is asked for by its tag is not sent. */
  function serveTagged(entries: readonly string[]): void {
    const page = pageOf(entries);
    server.play(({ url = '', headers }, response) => {
      const isForm4 = new URL(url, server.url).searchParams.get('type') === '4';
      if (!isForm4) return answer(response, 200, pageOf([]));
      const tag = `"${page.length}"`;
      if (headers['if-none-match'] === tag) response.writeHead(304, { etag: tag }).end();
      else response.writeHead(200, { etag: tag, 'content-length': page.length }).end(page);
    });
  }

  const tagsOfForm4 = () =>
    server.requests.flatMap(({ url, headers }) =>
      new URL(url, server.url).searchParams.get('type') === '4' ? [headers['if-none-match']] : [],
    );

  afterEach(() => flow.db.collection('settings').deleteMany({ _id: { $regex: '^feed_read' } } as object));

  test('has nothing new, and one that changed is read', async () => {
    serveTagged(NEWEST.slice(20, 50));
    await poll();
    const before = await stored();
    expect(before.length).toBeGreaterThan(0);
    await poll();
    expect(tagsOfForm4().at(-1)).toBeDefined();
    expect(await stored()).toEqual(before);
    serveTagged(NEWEST.slice(0, 50));
    await poll();
    expect(await stored()).toEqual(carriedIn(NEWEST.slice(0, 50)).sort());
  });

  test('is read whole until every filing in it was noted', async () => {
    const later = NEWEST.slice(0, 50).map((entry) => entry.replaceAll(/\d{4}-\d\d-\d\d/g, '2025-12-15'));
    serveTagged(later);
    await poll();
    await poll();
    expect(tagsOfForm4().slice(-2)).toEqual([undefined, undefined]);
  });
});

describe('an entry that names no filing', () => {
  const unnamed = (entry: string) => entry.replaceAll(/\d{10}-?\d\d-?\d{6}/g, '');
  const alarms = () => indexAlarms(flow.db);
  afterEach(() => clearIndexAlarm(flow.db, '2025-12-12' as IsoDate));

  test('raises an alarm and fails the poll, and the others are noted', async () => {
    serve([...NEWEST.slice(0, 20).map(unnamed), ...NEWEST.slice(20, 50)]);
    await expect(poll()).rejects.toMatchObject({ code: 'edgar_malformed' });
    expect(await stored()).toEqual(carriedIn(NEWEST.slice(20, 50)).sort());
    expect(await alarms()).toMatchObject([{ name: '2025-12-12', reason: 'edgar_malformed' }]);
  });

  test('does so when no entry of the feed names one, and no further page is read', async () => {
    serve(NEWEST.map(unnamed));
    await expect(poll()).rejects.toMatchObject({ code: 'edgar_malformed' });
    expect(await alarms()).toHaveLength(1);
  });

  test('of a form that is not carried, raises none', async () => {
    const other = NEWEST.slice(0, 2).map((entry) => unnamed(entry).replace('term="4"', 'term="424B2"'));
    serve([...other, ...NEWEST.slice(2, 10)]);
    await poll();
    expect(await alarms()).toEqual([]);
  });
});

test('a 503 after a page without filings of a carried form is an outage', async () => {
  const others = [...NEWEST, ...MIDDLE, ...OLDEST].filter((entry) => carriedIn([entry]).length === 0);
  expect(others.length).toBeGreaterThan(0);
  const page = Array.from({ length: 100 }, (_, n) => others[n % others.length] as string);
  serve(page);
  await expect(poll()).rejects.toMatchObject({ code: 'edgar_unavailable' });
});

test('on weekends and holidays EDGAR is not asked (rule 10.4)', async () => {
  serve(NEWEST.slice(0, 20));
  // Thanksgiving, the Friday after it, and the Saturday.
  const noon = ['2025-11-27', '2025-11-28', '2025-11-29'].map((day) => `${day}T17:00:00Z`);
  const requests: number[] = [];
  for (const time of noon) requests.push(await pollAt(time));
  expect(requests).toEqual([0, 2, 0]);
  // Friday evening in New York is Saturday in UTC; so is Saturday morning.
  expect([await pollAt('2025-12-13T03:05:00Z'), await pollAt('2025-12-13T11:00:00Z')]).toEqual([2, 0]);
});

test('a feed that fails keeps no other one from being read, and fails the poll', async () => {
  server.play(({ url = '' }, response) => {
    const type = new URL(url, server.url).searchParams.get('type');
    if (type === '4') answer(response, 200, pageOf(NEWEST.slice(0, 50)));
    else answer(response, 503, PAST_THE_END);
  });
  await expect(poll()).rejects.toMatchObject({ code: 'edgar_unavailable' });
  expect(await stored()).toHaveLength(new Set(carriedIn(NEWEST.slice(0, 50))).size);
});

test('a filing whose owner ends one page and whose issuer begins the next is stored under its issuer', async () => {
  const [owner = '', issuer = '', ...others] = NEWEST;
  expect([owner.includes('(Reporting)'), issuer.includes('(Issuer)')]).toEqual([true, true]);
  serve([...others, ...MIDDLE.slice(0, 1), owner].slice(-100), [issuer, ...OLDEST.slice(0, 20)]);
  await poll();
  expect(await filingsIn(flow.db).findOne({ _id: '0002063236-25-000004' as never })).toMatchObject({
    cik: '0001673743',
    company: 'Hinge Health, Inc.',
  });
});
