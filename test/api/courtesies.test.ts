import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { startApi } from '../../src/serve.ts';
import { SAMPLE } from '../../src/site/sample.ts';
import { opened } from '../opened.ts';
import { FUND, seed, seedBrief } from './corpus.ts';
import { openStage } from './stage.ts';
import { publish, seedSymbols } from './stock-corpus.ts';

const stage = opened(() => openStage({ SUPPORT_CONTACT: 'help@tidemark.test', CREDITS_LOW: '50' }));
let key = '';

beforeAll(async () => {
  const { db } = stage.world.mongo;
  await seed(db);
  await publish(db);
  await seedSymbols(db);
  await seedBrief(db, 'AAPL', 'x'.repeat(2_000));
  key = (await stage.newKey(10_000)).key;
});

/** The bytes as they were sent: `fetch` decompresses. */
function bytesOf(path: string, headers: Record<string, string>) {
  return new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const sent = { authorization: `Bearer ${key}`, ...headers };
    const asked = request(`${stage.origin}${path}`, { headers: sent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** Also pages, except those for one visitor: their length could betray the tokens in them. */
const COMPRESSED = [
  ...['/v1/events', `/v1/funds/${FUND}/holdings`, '/mcp/catalog', `/briefs/${SAMPLE.brief_id}.json`],
  ...['/', '/docs', '/docs/endpoints/fund.list', '/changelog', `/briefs/${SAMPLE.brief_id}`, '/site.css'],
];

describe('an answer above 1 KB', () => {
  test.each(COMPRESSED)(
    '%s is compressed for a client that takes it, and the same for others',
    async (path) => {
      const plain = await bytesOf(path, {});
      const packed = await bytesOf(path, { 'accept-encoding': 'br;q=1, gzip' });
      expect([plain.headers['content-encoding'], plain.headers['vary']]).toEqual([
        undefined,
        expect.stringContaining('Accept-Encoding'),
      ]);
      expect([packed.headers['content-encoding'], packed.headers['vary']]).toEqual([
        'gzip',
        expect.stringContaining('Accept-Encoding'),
      ]);
      expect(Number(packed.headers['content-length'])).toBe(packed.body.byteLength);
      expect(packed.body.byteLength).toBeLessThan(plain.body.byteLength);
      expect(gunzipSync(packed.body)).toEqual(plain.body);
    },
  );

  test('the status is compressed as a page, and a page with a form token never is', async () => {
    const asked = { accept: 'text/html', 'accept-encoding': 'gzip' };
    const status = await bytesOf('/status', asked);
    expect([status.headers['content-encoding'], status.headers['vary']]).toEqual([
      'gzip',
      'Accept, Accept-Encoding',
    ]);
    const { headers, body } = await bytesOf('/connect', asked);
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.byteLength).toBeGreaterThan(1_024);
  });

  test('a small answer is sent as it is', async () => {
    const { headers } = await bytesOf('/v1/credits', { 'accept-encoding': 'gzip' });
    expect(headers['content-encoding']).toBeUndefined();
  });
});

test('a list is repeated, or has commas, or both; a scalar is given once', async () => {
  const eventsOf = async (query: string) => (await stage.get(`/v1/events?since=0&${query}`, key)).body;
  const joined = await eventsOf('tickers=AAPL,MSFT');
  expect(joined.data.events.length).toBeGreaterThan(0);
  expect(await eventsOf('tickers=AAPL&tickers=MSFT')).toEqual(joined);
  expect(await eventsOf('tickers=AAPL,MSFT&tickers=AAPL')).toEqual(joined);
  expect((await eventsOf('limit=1&limit=1')).error).toBe('invalid_parameter');
});

describe('a low balance', () => {
  test('is in a header of every metered answer and in a note of /credits', async () => {
    const { key: poor } = await stage.newKey(51);
    const before = await stage.get('/v1/credits', poor);
    expect([before.headers.get('x-credits-low'), before.body.data.note]).toEqual([null, undefined]);
    const first = await stage.get('/v1/events', poor);
    expect([first.headers.get('x-credits-balance'), first.headers.get('x-credits-low')]).toEqual([
      '50',
      null,
    ]);
    const second = await stage.get('/v1/events', poor);
    expect([second.headers.get('x-credits-balance'), second.headers.get('x-credits-low')]).toEqual([
      '49',
      'true',
    ]);
    for (let time = 0; time < 2; time += 1) {
      const brief = await stage.get('/v1/stocks/AAPL/capital-change-brief', poor);
      expect(brief.headers.get('x-credits-low')).toBe('true');
    }
    expect((await stage.get('/v1/credits', poor)).body.data.note).toEqual({
      code: 'low_balance',
      message: 'The balance is below 50 credits. Get more at https://tidemark.test/connect.',
    });
  });
});

describe('an address with nothing behind it', () => {
  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const missing = (path: string, accept: string) =>
    fetch(`${stage.origin}${path}`, { headers: { accept }, redirect: 'manual' });

  test('is a page for a person, with the nearest address', async () => {
    const response = await missing('/doc', BROWSER);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
    const page = await response.text();
    expect(page).toContain('You may mean /docs.');
    expect(page).toContain('<title>Nothing is here · Tidemark</title>');
  });

  test.each([
    ['/doc', '*/*'],
    ['/doc', 'application/json'],
    ['/doc', 'application/json, text/html;q=0.5'],
    ['/v1/fund', BROWSER],
    ['/v1', BROWSER],
    ['/mcp/x', BROWSER],
  ])('is JSON at %s for Accept: %s', async (path, accept) => {
    const response = await missing(path, accept);
    expect([response.status, await response.json()]).toMatchObject([404, { error: 'not_found' }]);
  });
});

test('whom to ask is in the footer of every page, in the 402, and nowhere without the setting', async () => {
  const pages = ['/', '/docs', '/docs/reference', '/docs/errors/unauthorized', '/status', '/connect'];
  pages.push(`/briefs/${SAMPLE.brief_id}`, '/nothing-is-here', '/stocks/AAPL');
  const other = await startApi({ ...stage.world.context, config: loadConfig({ PORT: '0' }) });
  const read = async (origin: string, path: string) =>
    (await fetch(`${origin}${path}`, { headers: { accept: 'text/html' } })).text();
  for (const path of pages) {
    const link = '<a href="mailto:help@tidemark.test">Support</a>';
    const [own, others] = [stage.origin, `http://127.0.0.1:${other.port}`];
    const [withIt, without] = [await read(own, path), await read(others, path)];
    expect([path, withIt.includes(link), without.includes('>Support</a>')]).toEqual([path, true, false]);
  }
  await other.close();
  const { key: poor } = await stage.newKey(0);
  const refused = await stage.get('/v1/events', poor);
  expect([refused.status, refused.body.support_contact]).toEqual([402, 'help@tidemark.test']);
});

test('a page with a slash leads to the page, with its query, and a key in the query is refused', async () => {
  const ask = (path: string) => fetch(`${stage.origin}${path}`, { redirect: 'manual' });
  const pages = [
    '/docs',
    '/connect',
    '/docs/reference',
    '/docs/errors/unauthorized',
    '/stocks/AAPL',
    '/briefs/x',
  ];
  for (const path of pages) {
    const response = await ask(`${path}/?a=1`);
    expect([response.status, response.headers.get('location')]).toEqual([308, `${path}?a=1`]);
  }
  expect((await ask(`/docs/?k=${key}`)).status).toBe(400);
});

test('a link to a page shows a picture elsewhere, by its whole address', async () => {
  const page = await (await fetch(`${stage.origin}/docs`)).text();
  const [, image = ''] = /<meta property="og:image" content="([^"]+)">/.exec(page) ?? [];
  expect(image).toMatch(/^https?:\/\/[^/]+\/og\.png\?v=[0-9a-f]+$/);
  const picture = await fetch(`${stage.origin}${new URL(image).pathname}`);
  expect(picture.headers.get('content-type')).toBe('image/png');
});

test('crawlers, browsers and finders of weaknesses get their files', async () => {
  const textOf = async (path: string) => (await fetch(`${stage.origin}${path}`)).text();
  expect(await textOf('/robots.txt')).toContain('Disallow: /v1/\n');
  expect(await textOf('/favicon.ico')).toContain('<svg');
  const security = await textOf('/.well-known/security.txt');
  expect(security).toMatch(/^Contact: mailto:help@tidemark\.test\nExpires: \d{4}-\d\d-\d\dT00:00:00\.000Z\n/);
});

describe('rows as CSV', () => {
  const path = `/v1/funds/${FUND}/holdings?limit=2`;
  const ask = async (accept: string) => stage.raw(path, key, { accept });

  test('for a client that prefers text/csv, at the same price and with the same links', async () => {
    const { headers, text } = await ask('text/csv, */*;q=0.1');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('x-credits-charged')).toBe('1');
    expect(headers.get('link')).toContain('rel="next"');
    expect(headers.get('vary')).toBe('Accept, Accept-Encoding');
    const lines = text.split('\r\n');
    expect([lines.length, lines[0]?.startsWith('cusip,ticker,issuer,shares')]).toEqual([4, true]);
  });

  test('and JSON for everybody else, also for errors', async () => {
    for (const accept of ['*/*', 'application/json', 'text/csv;q=0.5, application/json', 'text/html']) {
      const { headers } = await ask(accept);
      expect([accept, headers.get('content-type')]).toEqual([accept, 'application/json; charset=utf-8']);
    }
    const { status, text } = await stage.raw(`/v1/funds/${FUND}/holdings?limit=0`, key, {
      accept: 'text/csv',
    });
    expect([status, JSON.parse(text).error]).toEqual([400, 'invalid_parameter']);
  });
});
