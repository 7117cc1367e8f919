import { beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../../src/credits/account/key.ts';
import { revokeKey } from '../../src/credits/account/key-life.ts';
import { form4 } from '../../src/domain/brief/brief.sample.ts';
import { opened } from '../opened.ts';
import { FUND, seed, seedBrief, seededBriefId } from './corpus.ts';
import { goodCalls } from './good-calls.ts';
import { seedForms } from './insider-corpus.ts';
import { type Answer, openStage } from './stage.ts';
import { publish, seedSymbols } from './stock-corpus.ts';

const stage = opened(openStage);
/** Keys of an organisation of their own each: of many credits, of five, of none, and one that is revoked. */
let rich = '';
let five = '';
let broke = '';
let revoked = '';

const FORM = form4({ number: 1, filed: '2018-06-04' });
const ALL = goodCalls({ briefId: seededBriefId('AAPL', 'one'), accession: FORM.header.accession });
const METERED = ALL.filter((endpoint) => endpoint.credits > 0);

beforeAll(async () => {
  await seed(stage.world.mongo.db);
  await seedBrief(stage.world.mongo.db, 'AAPL', 'one');
  await publish(stage.world.mongo.db);
  await seedSymbols(stage.world.mongo.db);
  await seedForms(stage.world.mongo.db, [FORM]);
  rich = (await stage.newKey(100_000)).key;
  five = (await stage.newKey(5)).key;
  broke = (await stage.newKey(0)).key;
  const ended = await stage.newKey(10);
  revoked = ended.key;
  // The process knows it before it ends.
  await stage.get('/v1/credits', revoked);
  await revokeKey(stage.store, ended.keyId);
});

/** A good call with more parameters. */
function more(good: string, query: string): string {
  return `${good}${good.includes('?') ? '&' : '?'}${query}`;
}

function expectEnvelope(answer: Answer, status: number, error: string): void {
  expect(answer.status).toBe(status);
  expect(answer.body.error).toBe(error);
  expect(answer.body.message).toMatch(/\.$/);
  expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'));
  expect(answer.body.docs_url).toBe(`https://tidemark.test/docs/errors/${error}`);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('x-powered-by')).toBeNull();
}

describe.each(ALL)('$name', ({ name, good, credits, output }) => {
  test('200 has the documented shape and costs the price', async () => {
    const { key } = await stage.newKey(50);
    const answer = await stage.get(good, key);
    expect(answer.status).toBe(200);
    // The seeded brief is a stand-in for bytes that were checked when they were built.
    if (!['capital_change_brief', 'brief.get'].includes(name))
      expect(output.safeParse(answer.body).error).toBeUndefined();
    const charged = credits === 0 ? null : String(credits);
    expect(answer.headers.get('x-credits-charged')).toBe(charged);
    expect(answer.headers.get('x-credits-balance')).toBe(credits === 0 ? null : String(50 - credits));
    expect((await stage.get('/v1/credits', key)).body.data.balance).toBe(50 - credits);
  });

  test('401 without a key, with a malformed one, an unknown one and a revoked one', async () => {
    const none = await stage.get(good);
    expectEnvelope(none, 401, 'unauthorized');
    expect(none.headers.get('www-authenticate')).toBe('Bearer realm="tidemark"');
    const wrongSum = `${rich.slice(0, -1)}${rich.endsWith('A') ? 'B' : 'A'}`;
    for (const bad of ['x', wrongSum, makeKey().key, revoked]) {
      const answer = await stage.get(good, bad);
      expectEnvelope(answer, 401, 'unauthorized');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="tidemark", error="invalid_token"');
      expect(answer.headers.get('x-credits-charged')).toBeNull();
    }
  });

  test('400 lists an unknown parameter, a key in the query and a repeated one together', async () => {
    const answer = await stage.get(more(good, `cik[$ne]=1&api_key=${rich}&wrong=1&wrong=2`), rich);
    expectEnvelope(answer, 400, 'invalid_parameter');
    const params = answer.body.details.map((detail: { param: string }) => detail.param);
    expect(params.sort()).toEqual(['api_key', 'cik[$ne]', 'wrong']);
    expect(answer.text).not.toContain(rich);
    expect(answer.headers.get('x-credits-charged')).toBe(credits === 0 ? null : '0');
    expect(answer.headers.get('x-credits-balance')).toBeNull();
  });

  test('401 comes before 400', async () => {
    expectEnvelope(await stage.get(more(good, 'wrong=1')), 401, 'unauthorized');
  });

  test.each(['HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'])(
    '405 with Allow for %s, with any key',
    async (method) => {
      const response = await fetch(`${stage.origin}${more(good, 'wrong=1')}`, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET');
    },
  );

  test('a preflight is answered without a key', async () => {
    const response = await fetch(`${stage.origin}${good}`, { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe.each(METERED)('$name without credits', ({ good, credits }) => {
  test('402 has the price, the balance and the address to get credits', async () => {
    const { key } = await stage.newKey(credits - 1);
    const answer = await stage.get(good, key);
    expectEnvelope(answer, 402, 'insufficient_credits');
    expect(answer.body).toMatchObject({
      needed: credits,
      balance: credits - 1,
      topup_url: 'https://tidemark.test/connect',
    });
    expect(answer.headers.get('x-credits-charged')).toBe('0');
    expect(answer.headers.get('x-credits-balance')).toBe(String(credits - 1));
  });

  test('402 uses the singular for one credit', async () => {
    const price = credits === 1 ? '1 credit' : `${credits} credits`;
    expect((await stage.get(good, broke)).body.message).toContain(`costs ${price} and`);
  });

  test('400 comes before 402', async () => {
    expectEnvelope(await stage.get(more(good, 'wrong=1'), broke), 400, 'invalid_parameter');
  });
});

describe('404', () => {
  test.each([
    ['/v1/funds/1', 'fund_not_found'],
    ['/v1/funds/1/holdings', 'fund_not_found'],
    [`/v1/funds/${FUND}/holdings?year=2001&quarter=1`, 'filing_not_found'],
    ['/v1/funds/42/holdings', 'holdings_reported_elsewhere'],
    ['/v1/stocks/NONE', 'stock_not_found'],
    ['/v1/stocks/TWO', 'stock_not_found'],
    ['/v1/stocks/TSLA?year=2018&quarter=3', 'stock_not_found'],
  ])('%s is %s and costs nothing', async (path, error) => {
    const answer = await stage.get(path, five);
    expectEnvelope(answer, 404, error);
    expect(answer.headers.get('x-credits-charged')).toBe('0');
    expect(answer.headers.get('x-credits-balance')).toBeNull();
    expect((await stage.get('/v1/credits', five)).body.data.balance).toBe(5);
  });

  test('402 comes before 404', async () => {
    expectEnvelope(await stage.get('/v1/funds/1', broke), 402, 'insufficient_credits');
  });

  test.each(['/v1', '/v1/nothing', '/v1/Funds', '/v1/funds/', '/v2/funds', '/v1/funds/1/2/3'])(
    'the route %s does not exist, with or without a key',
    async (path) => {
      expectEnvelope(await stage.get(path), 404, 'not_found');
      expectEnvelope(await stage.get(path, rich), 404, 'not_found');
    },
  );
});

describe('health', () => {
  test('live and ready answer without a key', async () => {
    expect((await stage.get('/health/live')).body).toEqual({ data: { status: 'live' } });
    // For anybody, so nothing about credits.
    expect((await stage.get('/health/ready')).body).toEqual({ data: { status: 'ready' } });
    const head = await fetch(`${stage.origin}/health/live`, { method: 'HEAD' });
    expect(head.status).toBe(200);
  });

  test('a preflight allows the methods of the 405', async () => {
    const preflight = await fetch(`${stage.origin}/health/live`, { method: 'OPTIONS' });
    const refused = await fetch(`${stage.origin}/health/live`, { method: 'POST' });
    expect([preflight.status, refused.status]).toEqual([204, 405]);
    expect(preflight.headers.get('allow')).toBe('GET, HEAD');
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
    expect(refused.headers.get('allow')).toBe('GET, HEAD');
  });

  test('a key in the query is 400 and not repeated; any other parameter is ignored', async () => {
    const answer = await stage.get(`/health/live?probe=1&api_key=${rich}`);
    expectEnvelope(answer, 400, 'invalid_parameter');
    expect(answer.body.details.map((detail: { param: string }) => detail.param)).toEqual(['api_key']);
    expect(answer.text).not.toContain(rich);
    expect((await stage.get('/health/live?probe=1')).status).toBe(200);
  });

  test('readiness asks the services once a second, and refuses nobody: behind a proxy all have one address', async () => {
    const commands = async (name: string): Promise<number> =>
      Number(
        new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(
          await stage.world.credits.info('commandstats'),
        )?.[1] ?? 0,
      );
    const before = [await commands('config\\|get'), await commands('xlen')];
    const answers = await Promise.all(Array.from({ length: 60 }, () => stage.get('/health/ready')));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 200));
    // Two settings and one length for each time, by every test that runs beside this one.
    expect((await commands('config\\|get')) - (before[0] ?? 0)).toBeLessThan(20);
    expect((await commands('xlen')) - (before[1] ?? 0)).toBeLessThan(20);
  });
});
