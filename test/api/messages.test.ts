import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ERRORS, errorPath } from '../../src/api/http/problem.ts';
import { holdingEntry } from '../../src/domain/search/entry.sample.ts';
import { publishPart } from '../../src/store/publish/search-index.ts';
import { type Agent, openAgent } from './agent.ts';
import { FUND, seed, seedBrief } from './corpus.ts';
import type { Stage } from './stage.ts';
import { publish, seedSymbols } from './stock-corpus.ts';

let agent: Agent;
let stage: Stage;
let key = '';

beforeAll(async () => {
  agent = await openAgent();
  stage = agent.stage;
  const { db } = stage.world.mongo;
  await seed(db);
  await publish(db);
  await seedSymbols(db);
  await seedBrief(db, 'AAPL', 'one');
  const entries = [holdingEntry('APPLE INC', { ticker: 'AAPL', holders: 40 })];
  await publishPart(db, 'h0', { shown: { entries, tickers: [] }, version: 1, at: '' });
  key = (await stage.newKey(1_000)).key;
  // The API may have looked before the index was published.
  await vi.waitFor(
    async () => expect((await stage.get('/v1/search?q=apple', key)).body.data.results).toHaveLength(1),
    30_000,
  );
});
afterAll(() => stage.close());

const SEND = 'Send it as "Authorization: Bearer <API_KEY>".';

test.each<[string, (key: string) => Record<string, string>, string]>([
  ['no header', () => ({}), `An API key is required. ${SEND} Keys are made at /connect.`],
  [
    'the bare key',
    (k) => ({ authorization: k }),
    `The Authorization header has no key after "Bearer". ${SEND}`,
  ],
  [
    'another scheme',
    (k) => ({ authorization: `Token ${k}` }),
    `The Authorization header has no key after "Bearer". ${SEND}`,
  ],
  ['another header', (k) => ({ 'X-API-Key': k }), `A key in the header X-API-Key is not read. ${SEND}`],
  [
    'an unknown key',
    () => ({ authorization: 'Bearer tm_live_nonsense' }),
    'The API key is not valid: it is mistyped, revoked or unknown here. Keys are made at /connect.',
  ],
])('401 with %s says how to send the key', async (_name, headers, message) => {
  const response = await fetch(`${stage.origin}/v1/credits`, { headers: headers(key) });
  const body = (await response.json()) as { message: string };
  expect([response.status, body.message.toLowerCase()]).toEqual([401, message.toLowerCase()]);
});

test('401 with a key in the URL says that it is in logs, and does not repeat it', async () => {
  const answer = await stage.get(`/v1/credits?api_key=${key}`);
  expect([answer.status, answer.body.message]).toEqual([
    401,
    `An API key in a URL is in logs: replace it. ${SEND}`,
  ]);
});

test.each([
  ['/v1/search', 'q is required.'],
  [
    `/v1/funds/${FUND}/holdings?year=2018&quarter=Q3`,
    'quarter must be a whole number from 1 to 4, not "Q3".',
  ],
  ['/v1/funds?limit=ten', 'limit must be a whole number from 1 to 100, not "ten".'],
  ['/v1/funds?limit=1000', 'limit must be 1 to 100, not 1000.'],
  [`/v1/funds/${FUND}/holdings?year=18&quarter=3`, 'year must be 1990 to 2100, not 18.'],
  [`/v1/funds/${FUND}/holdings?year=2018`, 'quarter is required with year.'],
  ['/v1/funds?limt=5', 'limt is not a parameter here; you may mean limit.'],
  ['/v1/funds?colour=5', 'colour is not a parameter here; known are page, limit.'],
  ['/v1/credits?x=1', 'x is not a parameter here; there are none.'],
  ['/v1/events?ticker=AAPL', 'ticker is not a parameter here; you may mean tickers.'],
  [
    '/v1/search?q=berk&type=fund',
    'type must be all, funds, managers or holdings, not "fund"; you may mean funds.',
  ],
  ['/v1/insider/transactions?exclude_10b5_1=1', 'exclude_10b5_1 must be true or false, not 1.'],
  [
    '/v1/insider/transactions?code=PURCHASE',
    'code must be transaction codes such as P or P,S, or all, not "PURCHASE".',
  ],
  [
    '/v1/funds/berkshire',
    'cik must be 1 to 10 digits, not "berkshire"; /v1/search?type=funds&q=NAME finds the CIK of a name.',
  ],
  ['/v1/funds?limit=5&limit=5', 'limit is given more than once.'],
  [
    '/v1/events?tickers=AAPL,!',
    'tickers has an item 2 that must be an exchange ticker such as AAPL or BRK.B.',
  ],
  [
    '/v1/funds?limit=0&page=x',
    'limit must be 1 to 100, not 0. page must be a whole number from 1 to 10000, not "x".',
  ],
  [
    '/v1/funds?a=1&b=1&c=1&d=1&e=1&f=1&g=1',
    `${['a', 'b', 'c', 'd', 'e'].map((name) => `${name} is not a parameter here; known are page, limit.`).join(' ')} 2 more in details.`,
  ],
])('%s is 400: %s', async (path, message) => {
  const answer = await stage.get(path, key);
  expect([answer.status, sorted(answer.body.message)]).toEqual([400, sorted(message)]);
  expect(answer.headers.get('x-credits-charged') ?? '0').toBe('0');
});

/** The order in which a schema finds several problems means nothing. */
function sorted(message: string): string[] {
  return message
    .split('. ')
    .map((sentence) => sentence.replace(/\.$/, ''))
    .sort();
}

describe('a ticker that no source knows', () => {
  test.each([
    ['APPLE', 'the beginning of a name'],
    ['APPL', 'the beginning of a name'],
    ['AAPPL', 'a typing error'],
  ])('%s is told AAPL, by %s', async (ticker) => {
    const stock = await stage.get(`/v1/stocks/${ticker}`, key);
    expect([stock.status, stock.body.message]).toEqual([
      404,
      `No security is known by the ticker ${ticker}. You may mean AAPL (APPLE INC). /v1/search?type=holdings&q=${ticker} searches names.`,
    ]);
    // From the database, then from memory.
    for (let time = 0; time < 2; time += 1) {
      const brief = await stage.get(`/v1/stocks/${ticker}/capital-change-brief`, key);
      expect([brief.status, brief.headers.get('x-did-you-mean')]).toEqual([200, 'AAPL']);
      expect(brief.body.data).toMatchObject({ outcome: 'no_data', requested_ticker: ticker });
      const etag = brief.headers.get('etag') ?? '';
      const again = await stage.get(`/v1/stocks/${ticker}/capital-change-brief`, key, {
        'if-none-match': etag,
      });
      expect([again.status, again.headers.get('x-did-you-mean')]).toEqual([304, 'AAPL']);
    }
    // An agent sees no headers.
    const { result } = (await agent.call('capital_change_brief', { ticker }, key)).body;
    expect(result.structuredContent).toMatchObject({ did_you_mean: 'AAPL', data: { outcome: 'no_data' } });
    expect(result.content[0].text).toContain('did_you_mean: AAPL');
  });

  test('and is near to none has no hint, and neither has a known one', async () => {
    for (const ticker of ['QQXX', 'AAPL']) {
      const brief = await stage.get(`/v1/stocks/${ticker}/capital-change-brief`, key);
      expect([brief.status, brief.headers.get('x-did-you-mean')]).toEqual([200, null]);
    }
  });
});

test.each([
  ['/v1/fund', '/v1/funds'],
  ['/v2/funds', '/v1/funds'],
  ['/v1/funds/', '/v1/funds'],
  ['/funds', '/v1/funds'],
])('%s is 404 and told %s', async (path, found) => {
  const { status, body } = await stage.get(path, key);
  expect([status, body.message]).toEqual([
    404,
    `There is no resource at this address. You may mean ${found}. /docs/reference lists all.`,
  ]);
});

test('a quarter without a report is told those that there are', async () => {
  const { status, body } = await stage.get(`/v1/funds/${FUND}/holdings?year=2001&quarter=1`, key);
  expect([status, body.message]).toEqual([
    404,
    `No report of fund ${FUND} for that quarter was read, which does not say that none was filed. Read were 2018Q3.`,
  ]);
});

test('402 names the price, the balance and the address', async () => {
  const poor = await stage.newKey(3);
  const { body } = await stage.get('/v1/stocks/AAPL/capital-change-brief', poor.key);
  expect(body.message).toBe(
    'The call costs 10 credits and the balance is 3. Get credits at https://tidemark.test/connect.',
  );
});

describe('docs_url', () => {
  test.each(Object.keys(ERRORS) as (keyof typeof ERRORS)[])('of %s is a page without a key', async (code) => {
    const response = await fetch(`${stage.origin}${errorPath(code)}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    const page = await response.text();
    expect(page).toContain(`<h1><code>${code}</code></h1>`);
    expect(page).toContain(`&quot;error&quot;: &quot;${code}&quot;`);
  });
});
