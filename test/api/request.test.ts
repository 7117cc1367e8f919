import { request } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { opened } from '../opened.ts';
import { FUND, seed, seedBrief } from './corpus.ts';
import { openStage } from './stage.ts';

const stage = opened(openStage);
let key = '';

beforeAll(async () => {
  await seed(stage.world.mongo.db);
  await seedBrief(stage.world.mongo.db, 'AAPL', 'one');
  key = (await stage.newKey(100_000)).key;
});

/** Headers as they are, repeated ones too. */
function raw(
  path: string,
  headers: [string, string][],
  method = 'GET',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${stage.origin}${path}`, { method, headers: headers.flat() }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

const HOST: [string, string] = ['Host', 'localhost'];

describe('authorization', () => {
  test('the scheme is accepted in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const answer = await stage.get('/v1/credits', null, { authorization: `${scheme} ${key}` });
      expect(answer.status).toBe(200);
    }
  });

  test('another scheme, the bare key and two headers are not accepted', async () => {
    for (const value of [
      `Basic ${key}`,
      key,
      `Bearer ${key} ${key}`,
      `Bearer ${key}, Bearer ${key}`,
      'Bearer ',
    ]) {
      expect((await stage.get('/v1/credits', null, { authorization: value })).status).toBe(401);
    }
    const twice: [string, string][] = [
      HOST,
      ['Authorization', `Bearer ${key}`],
      ['authorization', `Bearer ${key}`],
    ];
    expect((await raw('/v1/credits', twice)).status).toBe(401);
    expect((await raw('/v1/stocks/AAPL/capital-change-brief', twice)).status).toBe(401);
  });

  test('a key whose record Redis lost works again from MongoDB', async () => {
    const lost = await stage.newKey(20);
    expect((await stage.get('/v1/events', lost.key)).status).toBe(200);
    await stage.world.credits.del(redisKeys(stage.world.creditsTag).key(lost.keyId));
    expect((await stage.get('/v1/events', lost.key)).status).toBe(200);
    await stage.world.credits.del(redisKeys(stage.world.creditsTag).key(lost.keyId));
    expect((await stage.get('/v1/stocks/AAPL/capital-change-brief', lost.key)).status).toBe(200);
  });
});

describe('request id', () => {
  test('a valid id from the client is kept, any other is replaced', async () => {
    const kept = await stage.get('/v1/credits', key, { 'x-request-id': 'my-request_01' });
    expect(kept.headers.get('x-request-id')).toBe('my-request_01');
    for (const bad of ['short', 'has space here', 'x'.repeat(65), 'quote"quote"']) {
      const answer = await stage.get('/v1/credits', key, { 'x-request-id': bad });
      expect(answer.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9_-]{8,64}$/);
      expect(answer.headers.get('x-request-id')).not.toBe(bad);
    }
  });
});

describe('parameters', () => {
  const badPaths = [
    '/v1/funds?page=0',
    '/v1/funds?page=1e3',
    '/v1/funds?page=1.5',
    '/v1/funds?page=',
    '/v1/funds?page=%20',
    '/v1/funds?page=1000000000000',
    '/v1/funds?limit=101',
    '/v1/funds?limit=-1',
    '/v1/funds?limit=NaN',
    '/v1/funds?limit=0x10',
    '/v1/funds?limit=5&limit=5',
    '/v1/funds?limit[]=5',
    '/v1/funds?__proto__=1',
    '/v1/funds/12345678901',
    '/v1/funds/abc',
    '/v1/funds/..%2fx',
    '/v1/funds/%00',
    '/v1/funds/1%20',
    `/v1/funds/${FUND}/holdings?year=2018`,
    `/v1/funds/${FUND}/holdings?quarter=3`,
    `/v1/funds/${FUND}/holdings?year=2018&quarter=5`,
    `/v1/funds/${FUND}/holdings?limit=501`,
    '/v1/events?since=-1',
    '/v1/events?since=01',
    '/v1/events?since=1e9',
    '/v1/events?since=9007199254740992',
    '/v1/events?since=',
    '/v1/events?since=%F0%9F%98%80',
    '/v1/events?limit=201',
    '/v1/events?tickers=A,,B',
    `/v1/events?tickers=${Array.from({ length: 51 }, () => 'A').join(',')}`,
    '/v1/events?form=%24ne',
    '/v1/stocks/TOOLONGTICKER/capital-change-brief',
    '/v1/stocks/1A/capital-change-brief',
    '/v1/stocks/A%00/capital-change-brief',
    '/v1/stocks/AAPL/capital-change-brief?limit=1',
    '/v1/stocks/TOOLONGTICKER',
    '/v1/stocks/1A',
    '/v1/stocks/A%00',
    '/v1/stocks/A%20',
    '/v1/stocks/BRK%252FB',
    '/v1/stocks/AAPL?year=2018',
    '/v1/stocks/AAPL?quarter=3',
    '/v1/stocks/AAPL?year=2018&quarter=0',
    '/v1/stocks/AAPL?year=1989&quarter=1',
    '/v1/stocks/AAPL?limit=101',
    '/v1/stocks/AAPL?limit=0',
    '/v1/stocks/AAPL?page=10001',
    '/v1/stocks/AAPL?page=1&page=1',
    '/v1/stocks/AAPL?year[$gt]=1&quarter=1',
    '/v1/watchlist/poll?since=-1',
    '/v1/watchlist/poll?since=01',
    '/v1/watchlist/poll?since=1e9',
    '/v1/watchlist/poll?since=9007199254740992',
    '/v1/watchlist/poll?since=',
    '/v1/watchlist/poll?since=1&since=2',
    '/v1/watchlist/poll?limit=201',
    '/v1/watchlist/poll?limit=0',
    '/v1/watchlist/poll?tickers=AAPL',
    '/v1/watchlist/poll?constructor=1',
    '/v1/credits?x=1',
    '/v1/funds/%zz',
    '/v1/stocks/%E0%A4%A/capital-change-brief',
  ];
  test.each(badPaths)('%s is 400 and names the parameter', async (path) => {
    const answer = await stage.get(path, key);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toBe('invalid_parameter');
    expect(answer.body.details.length).toBeGreaterThan(0);
    expect(answer.body.details[0]).toMatchObject({ param: expect.any(String), reason: expect.any(String) });
    expect((await stage.get(path)).status).toBe(401);
  });

  test('every problem of a request is listed at once', async () => {
    const answer = await stage.get(`/v1/funds/x/holdings?year=99999&limit=0&page=x&foo=1`, key);
    const params = answer.body.details.map((detail: { param: string }) => detail.param);
    expect(params.sort()).toEqual(['cik', 'foo', 'limit', 'page', 'year']);
  });
});

describe('a key in the URL', () => {
  const BASE = '/v1/events';
  const twice = (): string => key.replace(/_/g, '%255F');
  test.each([
    ['as it is', () => `?form=${key}`, 400],
    ['in capitals', () => `?form=${key.toUpperCase()}`, 400],
    ['in a list', () => `?tickers=AAPL,${key.toUpperCase()}`, 400],
    ['as a name', () => `?${key}=1`, 400],
    ['encoded twice', () => `?wrong=${twice()}`, 400],
    ['the second of two', () => `?form=4&form=${key}`, 400],
  ])('%s is 400 and never repeated', async (_name, query, status) => {
    const answer = await stage.get(`${BASE}${query()}`, key);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain('an API key belongs in the Authorization header only');
    expect(answer.text.toLowerCase()).not.toContain(key.slice(8, 30).toLowerCase());
  });

  test('of a route that does not exist is 404 and never repeated', async () => {
    const answer = await stage.get(`/v1/nothing?key=${key}`);
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain(key.slice(8, 30));
  });
});

/** What a bare socket hears to a request as written, until the server ends the connection. */
function spoken(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(stage.origin).port), '127.0.0.1', () => socket.write(text));
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk.toString();
    });
    socket.on('close', () => resolve(heard));
    socket.on('error', reject);
  });
}

describe('the protocol', () => {
  test.each([
    ['no Host', 'GET /v1/funds HTTP/1.1\r\n\r\n', 400, 'invalid_parameter'],
    ['two Hosts', 'GET /v1/funds HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n', 400, 'invalid_parameter'],
    ['HTTP/0.9', 'GET /v1/funds HTTP/0.9\r\n\r\n', 400, 'invalid_parameter'],
    ['Expect: foo', 'GET /v1/funds HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n\r\n', 417, 'expectation_failed'],
    ['no HTTP', 'NONSENSE\r\n\r\n', 400, 'invalid_parameter'],
  ])('%s is refused with the same error shape', async (_name, request, status, error) => {
    const [head = '', body = ''] = (await spoken(request)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const id = /^X-Request-Id: (.+)$/m.exec(head)?.[1]?.trim();
    expect(JSON.parse(body)).toMatchObject({ error, request_id: id });
  });
});

test('the account pages are not reached by a name that another site points here', async () => {
  for (const [method, path] of [
    ['GET', '/connect'],
    ['POST', '/connect/sign-up'],
  ] as const) {
    const rebound = await raw(path, [['Host', 'evil.example']], method);
    expect(rebound.status).toBe(403);
    expect(JSON.parse(rebound.text)).toMatchObject({ error: 'forbidden' });
  }
  for (const host of ['tidemark.test', '127.0.0.1:8080']) {
    expect((await raw('/connect', [['Host', host]])).status).toBe(200);
  }
});

describe('sizes', () => {
  test('a URL over 8 KB is 414, before the key is read', async () => {
    const answer = await raw(`/v1/funds?x=${'a'.repeat(8_300)}`, [HOST]);
    expect(answer.status).toBe(414);
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'uri_too_long', request_id: expect.any(String) });
    expect((await raw(`/v1/funds?x=${'a'.repeat(40_000)}`, [HOST])).status).toBe(414);
  });

  test('headers over 16 KB are 431', async () => {
    for (const size of [16_500, 30_000]) {
      const answer = await raw('/v1/funds', [HOST, ['X-Big', 'a'.repeat(size)]]);
      expect(answer.status).toBe(431);
      expect(JSON.parse(answer.text)).toMatchObject({ error: 'headers_too_large' });
    }
  });

  test('a body over 64 KB is 413 and ends the connection', async () => {
    const answer = await raw('/v1/funds', [HOST, ['Content-Length', '70000']], 'POST');
    expect(answer.status).toBe(413);
  });
});
