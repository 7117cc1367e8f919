import { MongoClient } from 'mongodb';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { searchMemory } from '../../src/api/cache/search-memory.ts';
import type { Cik, QuarterEnd } from '../../src/domain/ids.ts';
import { fundEntry, holdingEntry } from '../../src/domain/search/entry.sample.ts';
import { compareEntries, entriesOfFund, type SearchEntry } from '../../src/domain/search/entry.ts';
import { queryOf } from '../../src/domain/search/rank.ts';
import { partsIn, publishPart, SEARCH_PARTS } from '../../src/store/publish/search-index.ts';
import { opened } from '../opened.ts';
import { servicesOfWorker } from '../world.ts';
import { openStage } from './stage.ts';

const BERKSHIRE = entriesOfFund({
  cik: '0001067983' as Cik,
  name: 'BERKSHIRE HATHAWAY INC',
  slug: 'berkshire-hathaway-inc',
  aumCents: 22_000_000_000_000_00n,
  latestQuarterEnd: '2018-09-30' as QuarterEnd,
  includes: [{ name: 'GEICO Corp', cik: '0000039640' as Cik, form13fFileNumber: '028-101', sequence: 2 }],
});
const BRK_B = { cusip: '084670702', ticker: 'BRK.B', holders: 50 };
const SECURITIES = [
  holdingEntry('BERKSHIRE HATHAWAY INC DEL', BRK_B),
  holdingEntry('APPLE INC', { ticker: 'AAPL', holders: 40 }),
  holdingEntry('APPLE HOSPITALITY REIT INC', { cusip: '03784Y200', holders: 90 }),
];
const MANY = Array.from({ length: 60 }, (_, n) => fundEntry(`Wide Name ${n}`, n, `00000020${n + 10}`));

const stage = opened(openStage);
let key = '';

beforeAll(async () => {
  await publish(SECURITIES, 'h0');
  await publish([...BERKSHIRE, ...MANY], 'f0');
  key = (await stage.newKey(10_000)).key;
  // The API may have looked between the one part and the other.
  await vi.waitFor(async () => expect(await namesOf('q=wide&limit=1')).toHaveLength(1), 60_000);
});

async function publish(entries: readonly SearchEntry[], part: string, version = 1): Promise<void> {
  await publishPart(stage.world.mongo.db, part, {
    shown: { entries: entries.toSorted(compareEntries), tickers: [] },
    version,
    at: '',
  });
}

const ask = (query: string) => stage.get(`/v1/search?${query}`, key);
const namesOf = async (query: string): Promise<string[]> =>
  (await ask(query)).body.data.results.map((found: { name: string }) => found.name);

describe('200', () => {
  test('a fund, the persons behind it and its shares, each with its own fields', async () => {
    const { body } = await ask('q=%20berkshire%20&limit=3');
    expect(body.data).toMatchObject({ query: 'berkshire', type: 'all' });
    expect(body.data.results).toEqual([
      {
        type: 'fund',
        id: '0001067983',
        name: 'BERKSHIRE HATHAWAY INC',
        score: expect.any(Number),
        matched_on: 'name',
        cik: '0001067983',
        slug: 'berkshire-hathaway-inc',
        aum_cents: '2200000000000000',
        latest_quarter: '2018Q3',
      },
      {
        type: 'holding',
        id: '084670702',
        name: 'BERKSHIRE HATHAWAY INC DEL',
        score: expect.any(Number),
        matched_on: 'name',
        ticker: 'BRK.B',
        cusip: '084670702',
        issuer: 'BERKSHIRE HATHAWAY INC DEL',
        holders_count: 50,
        latest_quarter_end: '2018-09-30',
      },
    ]);
  });

  test('managers that a report includes, and the person known to run the fund', async () => {
    const { body } = await ask('q=geico&type=managers');
    const fund = { cik: '0001067983', name: 'BERKSHIRE HATHAWAY INC', slug: 'berkshire-hathaway-inc' };
    expect(body.data.results).toEqual([
      expect.objectContaining({ type: 'manager', id: '0001067983:geico-corp', name: 'GEICO Corp', fund }),
    ]);
    expect(await namesOf('q=warren+bufett')).toEqual(['Warren Buffett']);
  });

  test('the tiers in order, scores descending', async () => {
    const { body } = await ask('q=apple');
    expect(body.data.results.map((found: { name: string }) => found.name)).toEqual([
      'APPLE INC',
      'APPLE HOSPITALITY REIT INC',
    ]);
    const scores = body.data.results.map((found: { score: number }) => found.score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    expect((await ask('q=AAPL')).body.data.results[0]).toMatchObject({
      matched_on: 'ticker',
      cusip: '037833100',
    });
    expect((await ask('q=1067983')).body.data.results[0]).toMatchObject({ matched_on: 'cik', type: 'fund' });
    expect((await ask('q=03784y200')).body.data.results[0]).toMatchObject({
      matched_on: 'cusip',
      ticker: null,
    });
    expect((await ask('q=brk-b')).body.data.results[0]).toMatchObject({
      matched_on: 'ticker',
      cusip: '084670702',
    });
    expect((await ask('q=berkhsire')).body.data.results[0]).toMatchObject({ matched_on: 'spelling' });
  });

  test('only the requested type, 20 by default, 50 at most, always a prefix of the same list', async () => {
    expect(await namesOf('q=berkshire&type=holdings')).toEqual(['BERKSHIRE HATHAWAY INC DEL']);
    expect(await namesOf('q=berkshire&type=managers')).toEqual([]);
    const most = await namesOf('q=wide&limit=50');
    expect(most).toHaveLength(50);
    expect(await namesOf('q=wide')).toEqual(most.slice(0, 20));
    expect(await namesOf('q=wide&limit=1')).toEqual(['Wide Name 59']);
  });

  test.each([
    ['(a+)+$', '%28a%2B%29%2B%24'],
    ['64 characters of .*', '.*'.repeat(32)],
    ['%00', '%2500'],
    ['64 ligatures of 18 letters', encodeURIComponent('ﷺ'.repeat(64))],
    ['an operator', encodeURIComponent('{"$gt":""}')],
    ['a prototype', '__proto__'],
    ['32 words', encodeURIComponent('ab '.repeat(21))],
  ])('%s is text like any other: a pattern that went off would never end', async (_, q) => {
    const times: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const started = performance.now();
      expect((await ask(`q=${q}`)).status).toBe(200);
      times.push(performance.now() - started);
    }
    // What a search costs is measured by bench/search.ts.
    expect(Math.min(...times)).toBeLessThan(1_000);
  });

  test('published entries are found within seconds, withdrawn ones are not found', async () => {
    const part = SEARCH_PARTS[5] ?? '';
    await publish([fundEntry('Brand New Fund', 5, '0000000077')], part);
    await expect.poll(() => namesOf('q=brand+new')).toEqual(['Brand New Fund']);
    await publish([fundEntry('Renamed Fund', 5, '0000000077')], part, 2);
    await expect.poll(() => namesOf('q=renamed')).toEqual(['Renamed Fund']);
    await publish([fundEntry('Brand New Fund', 5, '0000000077')], part);
    expect(Number((await partsIn(stage.world.mongo.db).findOne({ _id: part }))?.version)).toBe(2);
    await publish([], part, 3);
    await expect.poll(() => namesOf('q=renamed')).toEqual([]);
  });
});

test('400: each problem of the query by its parameter, without a charge', async () => {
  const wrong = ['', 'q=', 'q=a', 'q=%20a%20', `q=${'a'.repeat(65)}`, 'q=%00', 'q=ab&q=cd', 'q[]=ab'];
  for (const query of wrong) {
    const { status, body, headers } = await ask(query);
    expect([query, status, body.error]).toEqual([query, 400, 'invalid_parameter']);
    expect(headers.get('x-credits-charged')).toBe('0');
  }
  for (const query of ['type=fund', 'limit=0', 'limit=51', 'limit=1.5', 'page=2']) {
    const { status, body } = await ask(`q=ab&${query}`);
    expect([status, body.details[0].param]).toEqual([400, query.split('=')[0]]);
  }
  const all = await ask('q=a&type=x&limit=99&more=1');
  expect(all.body.details.map((detail: { param: string }) => detail.param).sort()).toEqual([
    'limit',
    'more',
    'q',
    'type',
  ]);
});

test('characters are counted as shown, not as encoded', async () => {
  expect((await ask(`q=${encodeURIComponent('𝒜'.repeat(64))}`)).status).toBe(200);
  expect((await ask(`q=${encodeURIComponent('𝒜')}`)).status).toBe(400);
});

test('401 without a key, 402 without credits, 405 for another method', async () => {
  expect((await stage.get('/v1/search?q=apple')).status).toBe(401);
  const poor = await stage.newKey(0);
  expect((await stage.get('/v1/search?q=apple', poor.key)).body).toMatchObject({
    error: 'insufficient_credits',
    needed: 1,
  });
  const posted = await fetch(`${stage.origin}/v1/search?q=apple`, { method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
});

test('any number of parallel searches costs one bounded read by exact ids, and none while the index is fresh', async () => {
  const url = servicesOfWorker().mongoUrl;
  const client = new MongoClient(url, { monitorCommands: true });
  const sent: unknown[] = [];
  client.on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'find') sent.push(command['filter']);
  });
  try {
    const db = client.db(stage.world.config.mongoDb);
    const search = (text: string) => searchMemory(db, queryOf(text), { type: null, limit: 20 });
    const first = await Promise.all(['be', 'apple', 'berkhsire', 'wide name'].map(search));
    expect(first.every(({ hits }) => hits.length > 0)).toBe(true);
    const versions = { _id: { $in: SEARCH_PARTS } };
    expect(sent.filter((filter) => JSON.stringify(filter) === JSON.stringify(versions))).toHaveLength(1);
    expect(sent.length).toBeLessThanOrEqual(2 + SEARCH_PARTS.length);
    const plan = await partsIn(db).find(versions).explain();
    expect(JSON.stringify(plan)).not.toContain('COLLSCAN');
  } finally {
    await client.close();
  }
});
