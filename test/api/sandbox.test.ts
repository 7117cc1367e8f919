import { request } from 'node:http';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/api/endpoints/index.ts';
import { createKey, revokeKey } from '../../src/credits/account/key-life.ts';
import { verifyBrief } from '../../src/domain/brief/verify.ts';
import { readSandboxData } from '../../src/sandbox/data.ts';
import { SANDBOX_BALANCE, sandboxName } from '../../src/sandbox/open.ts';
import { briefsIn } from '../../src/store/publish/briefs.ts';
import { type Agent, openAgent } from './agent.ts';
import { seed, seedBrief } from './corpus.ts';
import type { Answer } from './stage.ts';

let agent: Agent;
let sandboxDb: Db;
let testKey = '';
let liveKey = '';
/** The brief of DONE in the sandbox. */
let briefId = '';

const ORG = 'Real customer';
const briefPath = (ticker: string): string => `/v1/stocks/${ticker}/capital-change-brief`;
const get = (path: string, key = testKey, headers: Record<string, string> = {}): Promise<Answer> =>
  agent.stage.get(path, key, headers);

beforeAll(async () => {
  agent = await openAgent();
  const { stage } = agent;
  const { db } = stage.world.mongo;
  await seed(db);
  for (const ticker of ['AAPL', 'DONE']) await seedBrief(db, ticker, 'of the live data');
  liveKey = (await createKey(stage.store, { orgName: ORG, credits: 5_000, label: 'live' })).key;
  testKey = (await createKey(stage.store, { orgName: ORG, credits: 0, label: 'test', mode: 'test' })).key;
  const { digest, collections } = await readSandboxData();
  briefId = collections.get('current_briefs')?.find(({ _id }) => String(_id) === 'DONE')?.['briefId'];
  sandboxDb = db.client.db(sandboxName(db.databaseName, digest));
});

afterAll(async () => {
  await sandboxDb?.dropDatabase();
  await agent?.stage.close();
});

/** One call of each endpoint that the sandbox answers with something to see. */
const CALLS: Readonly<Record<string, string>> = {
  'fund.list': '/funds?limit=3',
  'fund.get': '/funds/9990000001',
  'fund.holdings': '/funds/9990000001/holdings?year=2025&quarter=2',
  search: '/search?q=alder',
  'stock.owners': '/stocks/DONE',
  'stock.history': '/stocks/DONE/history?quarters=12',
  capital_change_brief: '/stocks/DONE/capital-change-brief',
  'stock.briefs': '/stocks/DONE/briefs',
  'brief.get': '/briefs/{brief_id}',
  'brief.evidence': '/briefs/{brief_id}/evidence?limit=3',
  'copy.leaderboard': '/copy/leaderboard',
  'events.latest': '/events?since=0',
  'insider.transactions': '/insider/transactions?ticker=DONE',
  'filing.get': '/filing/9992000001-25-000005',
  'watchlist.poll': '/watchlist/poll?since=0',
  'credits.balance': '/credits',
};

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire holds
const itemsIn: Readonly<Record<string, (body: any) => unknown[]>> = {
  'fund.list': (body) => body.data,
  'fund.get': (body) => body.data.filings,
  'fund.holdings': (body) => body.data.holdings,
  search: (body) => body.data.results,
  'stock.owners': (body) => body.data.owners,
  'stock.history': (body) => body.data.quarters,
  capital_change_brief: (body) => body.data.institutional.changes,
  'stock.briefs': (body) => body.data.briefs,
  'brief.get': (body) => body.data.institutional.changes,
  'brief.evidence': (body) => body.data.evidence,
  'copy.leaderboard': (body) => body.data.leaders,
  'events.latest': (body) => body.data.events,
  'insider.transactions': (body) => body.data.transactions,
  'filing.get': (body) => body.data.non_derivative_transactions,
  'watchlist.poll': (body) => body.data.events,
  'credits.balance': (body) => [body.data.balance],
};

describe('a test key', () => {
  test.each(ENDPOINTS.map((endpoint) => [endpoint.name, endpoint] as const))(
    'gets a non-empty answer of the documented shape from %s, without a charge',
    async (name, endpoint) => {
      const answer = await get(`/v1${CALLS[name]}`.replace('{brief_id}', briefId));
      expect(answer.status).toBe(200);
      expect(endpoint.output.safeParse(answer.body).error).toBeUndefined();
      expect(itemsIn[name]?.(answer.body).length).toBeGreaterThan(0);
      expect(answer.headers.get('x-sandbox')).toBe('true');
      expect(answer.headers.get('x-credits-charged')).toBe(endpoint.credits === 0 ? null : '0');
      expect(answer.headers.get('x-credits-balance')).toBeNull();
      expect(answer.headers.get('ratelimit')).toMatch(/^"organization";r=\d+/);
      expect(answer.headers.get('access-control-expose-headers')).toContain('X-Sandbox');
    },
  );

  test('gets a whole leaderboard: one line beyond luck, one at the bottom, a quarter left out, reasons for the rest (rule 9.3)', async () => {
    const { leaders, eligibility } = (await get('/v1/copy/leaderboard')).body.data;
    const called = leaders.map(({ beyond_luck }: { beyond_luck: boolean }) => beyond_luck);
    expect(called).toEqual([true, false, false, false, false, false, false, false]);
    expect(leaders.at(-1).score).toBeLessThan(0);
    expect(leaders.map((leader: { quarters_left_out: number }) => leader.quarters_left_out)).toContain(1);
    for (const leader of leaders) {
      expect(leader.lagged_excess_return_lost_pct).toBeLessThanOrEqual(
        leader.lagged_excess_return_carried_pct,
      );
    }
    expect(eligibility).toMatchObject({ eligible: 8, ineligible: 6, reason: null });
    for (const reason of ['too_few_quarters', 'not_current', 'too_few_positions', 'low_priced_weight']) {
      expect(eligibility.reasons[reason]).toBeGreaterThan(0);
    }
    expect(eligibility.reasons.mostly_options).toBe(1);
  });

  test('spends no credits of its organisation, which may have none', async () => {
    const { stage } = agent;
    const poor = await createKey(stage.store, { orgName: 'Poor', credits: 0, label: '', mode: 'test' });
    expect((await get(briefPath('DONE'), poor.key)).status).toBe(200);
    expect((await get(briefPath('DONE'), poor.key)).headers.get('x-credits-charged')).toBe('0');
    const before = (await get('/v1/credits', liveKey)).body.data.balance;
    await get('/v1/funds');
    expect((await get('/v1/credits', liveKey)).body.data.balance).toBe(before);
  });

  test('pays nothing for an error either, and the answer names the sandbox', async () => {
    const missing = await get('/v1/funds/42');
    expect(missing.status).toBe(404);
    expect(missing.headers.get('x-sandbox')).toBe('true');
    expect(missing.headers.get('x-credits-charged')).toBe('0');
    const wrong = await get('/v1/funds?limit=0');
    expect(wrong.status).toBe(400);
    expect(wrong.headers.get('x-sandbox')).toBe('true');
  });

  test('may repeat an Idempotency-Key without limit, and with another call', async () => {
    const named = { 'idempotency-key': 'always-the-same' };
    for (let at = 0; at < 8; at += 1) {
      const answer = await get(at % 2 === 0 ? '/v1/funds' : '/v1/copy/leaderboard', testKey, named);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('idempotent-replayed')).toBeNull();
    }
    expect((await get('/v1/funds', liveKey, named)).headers.get('x-credits-charged')).toBe('1');
  });

  test('gets the same answers from the agent tools as over REST', async () => {
    const rest = await get(`/v1${CALLS['stock.owners']}`);
    const tool = await agent.call('stock.owners', { ticker: 'DONE', limit: 50 }, testKey);
    expect(tool.headers.get('x-sandbox')).toBe('true');
    expect(tool.headers.get('x-credits-charged')).toBe('0');
    expect(tool.body.result.structuredContent.data).toEqual(rest.body.data);
  });

  test('stops working at once when it is revoked', async () => {
    const { store } = agent.stage;
    const made = await createKey(store, { orgName: ORG, credits: 0, label: '', mode: 'test' });
    expect((await get('/v1/funds', made.key)).status).toBe(200);
    await revokeKey(store, made.keyId);
    const dead = await get('/v1/funds', made.key);
    expect(dead.status).toBe(401);
    expect(dead.headers.get('x-sandbox')).toBeNull();
  });
});

describe('each ticker shows its outcome', () => {
  test.each([
    ['DONE', 'complete', 'net_increases', 'net_buying', 'supports'],
    ['SOLD', 'complete', 'net_decreases', 'net_selling', 'supports'],
    ['CLASH', 'complete', 'net_increases', 'net_selling', 'contradicts'],
    ['MIXED', 'complete', 'mixed', 'mixed', 'mixed'],
    ['STEADY', 'complete', 'unchanged', 'none_found', 'not_comparable'],
    ['PART', 'partial', 'net_increases', 'net_buying', 'supports'],
    ['MAYBE', 'uncertain', 'not_determined', 'net_buying', 'not_comparable'],
    ['NODATA', 'no_data', 'none_found', 'none_found', 'not_comparable'],
    ['ZZZZ', 'no_data', 'none_found', 'not_available', 'not_comparable'],
    ['REFUSE', 'refused', 'none_found', 'not_available', 'not_comparable'],
  ])('%s is %s', async (ticker, outcome, institutional, insiders, corroboration) => {
    const { data } = (await get(briefPath(ticker))).body;
    const shown = [data.outcome, data.institutional.stance, data.insiders.stance, data.corroboration];
    expect(shown).toEqual([outcome, institutional, insiders, corroboration]);
    expect(verifyBrief(data)).toEqual({ ok: true, problems: [] });
  });

  test('every stored brief can be verified offline', async () => {
    const briefs = await briefsIn(sandboxDb).find().toArray();
    expect(briefs.length).toBeGreaterThan(9);
    for (const { _id, body } of briefs) {
      const text = Buffer.from(body.buffer).toString('utf8');
      expect(verifyBrief(JSON.parse(text)).problems).toEqual([]);
      expect(text).toContain(_id);
    }
  });

  test('the reports have every kind of change, a notice, an amendment, options and bonds', async () => {
    const kinds = async (cik: number) => {
      const { holdings } = (await get(`/v1/funds/${cik}/holdings?year=2025&quarter=2`)).body.data;
      return holdings.map((row: { change_type: string }) => row.change_type);
    };
    const all = new Set([...(await kinds(9990000002)), ...(await kinds(9990000003))]);
    expect([...all].sort()).toEqual(['ADDED', 'EXITED', 'HELD', 'NEW', 'REDUCED']);
    const notice = await get('/v1/funds/9990000007/holdings?year=2025&quarter=2');
    expect(notice.body).toMatchObject({
      error: 'holdings_reported_elsewhere',
      managers: [{ cik: '9990000001' }],
    });
    const amended = await get('/v1/funds/9990000004/holdings?year=2025&quarter=2');
    expect(amended.body.data.filing.form_type).toBe('13F-HR/A');
    const elm = await get('/v1/funds/9990000005/holdings?year=2025&quarter=2');
    expect(elm.body.data.filing.excluded).toMatchObject({ options: { rows: 1 }, principal: { rows: 1 } });
  });
});

/** By node:http, whose path reaches the server as it is: an encoded letter takes the full way. */
function raw(path: string, key: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    const asked = request(`${agent.stage.origin}${path}`, { headers, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => resolve(Buffer.concat(chunks).toString()));
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe('live data and sandbox', () => {
  const WAYS = [briefPath('DONE'), briefPath('%44ONE')];

  test('never show each other their briefs, on either path, with warm caches', async () => {
    // The live brief is in memory from the first round on.
    for (let round = 0; round < 3; round += 1) {
      for (const path of WAYS) {
        expect(await raw(path, liveKey)).toContain('of the live data');
        const sandbox = await raw(path, testKey);
        expect(sandbox).not.toContain('of the live data');
        expect(JSON.parse(sandbox).data).toMatchObject({ outcome: 'complete', requested_ticker: 'DONE' });
      }
    }
    expect((await get(briefPath('AAPL'))).body.data.outcome).toBe('no_data');
    expect((await get(briefPath('SOLD'), liveKey)).status).toBe(503);
  });

  test('a live entity tag is not valid in the sandbox', async () => {
    const etag = (await get(briefPath('DONE'), liveKey)).headers.get('etag') ?? '';
    expect((await get(briefPath('DONE'), liveKey, { 'if-none-match': etag })).status).toBe(304);
    expect((await get(briefPath('DONE'), testKey, { 'if-none-match': etag })).status).toBe(200);
    const own = (await get(briefPath('DONE'))).headers.get('etag') ?? '';
    const known = await get(briefPath('DONE'), testKey, { 'if-none-match': own });
    expect([known.status, known.headers.get('x-credits-charged')]).toEqual([304, '0']);
  });

  test('have their own organisations, watchlists and filings', async () => {
    const { data } = (await get('/v1/credits')).body;
    expect(data).toMatchObject({
      balance: SANDBOX_BALANCE,
      organization: { id: 'sandbox', name: 'Sandbox' },
    });
    expect((await get('/v1/watchlist/poll')).body.data.watchlist.tickers).toEqual(['CLASH', 'DONE']);
    expect((await get('/v1/credits', liveKey)).body.data.organization.name).toBe(ORG);
    expect((await get('/v1/funds/1067983')).status).toBe(404);
    expect((await get('/v1/funds/1067983', liveKey)).status).toBe(200);
    expect((await get('/v1/funds/9990000001', liveKey)).status).toBe(404);
  });
});
