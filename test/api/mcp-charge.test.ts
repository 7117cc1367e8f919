import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '../../src/credits/account/key-life.ts';
import { ALGORITHM_VERSION } from '../../src/domain/brief/manifest.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { replaceWatchlist } from '../../src/store/account/watchlists.ts';
import { saveBrief } from '../../src/store/publish/briefs.ts';
import { setCurrentBrief } from '../../src/store/publish/current-briefs.ts';
import { opened } from '../opened.ts';
import { openAgent } from './agent.ts';
import { kindsOf } from './changes.ts';
import { FUND, NOTICE_FUND, SUMMARY, seed, seedBrief } from './corpus.ts';
import type { Answer } from './stage.ts';

const BRIEF = '/v1/stocks/AAPL/capital-change-brief';
const agent = opened(openAgent);

beforeAll(async () => {
  const { db } = agent.stage.world.mongo;
  await seed(db);
  await seedBrief(db, 'AAPL', 'x');
  // More than the buffers of both ends of a socket hold.
  await seedBrief(db, 'BIG', 'x'.repeat(70_000));
});

const message = (name: string, args: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});
const balanceOf = async (key: string): Promise<number> =>
  (await agent.stage.get('/v1/credits', key)).body.data.balance;
const chargedOf = (answer: Answer): string | null => answer.headers.get('x-credits-charged');
const isServed = (answer: Answer): boolean => answer.status === 200 && answer.body.result?.isError !== true;

describe('a tool', () => {
  test('costs the same as its REST mirror, with the same headers', async () => {
    const { key } = await agent.stage.newKey(100);
    const brief = await agent.call('capital_change_brief', { ticker: 'aapl' }, key);
    expect([chargedOf(brief), brief.headers.get('x-credits-balance')]).toEqual(['10', '90']);
    const events = await agent.call('events.latest', {}, key);
    expect([chargedOf(events), events.headers.get('x-credits-balance')]).toEqual(['1', '89']);
    expect(events.headers.get('ratelimit')).toMatch(/^"organization";r=\d+;t=\d+$/);
    const credits = await agent.call('credits.balance', {}, key);
    expect(chargedOf(credits)).toBeNull();
    expect(credits.body.result.structuredContent.data.balance).toBe(89);
  });

  test('out of credits is a failed result with needed, balance and topup_url', async () => {
    const { key } = await agent.stage.newKey(9);
    const answer = await agent.call('capital_change_brief', { ticker: 'AAPL' }, key);
    expect(answer.status).toBe(200);
    const { isError, content, structuredContent } = answer.body.result;
    expect(isError).toBe(true);
    expect(structuredContent).toMatchObject({
      error: 'insufficient_credits',
      needed: 10,
      balance: 9,
      topup_url: 'https://tidemark.test/connect',
      request_id: answer.headers.get('x-request-id'),
    });
    const [sentence, object] = content[0].text.split('\n');
    expect(sentence).toBe(
      'The call costs 10 credits and the balance is 9. Get credits at https://tidemark.test/connect.',
    );
    expect(JSON.parse(object)).toEqual(structuredContent);
    expect([chargedOf(answer), answer.headers.get('x-credits-balance')]).toEqual(['0', '9']);
  });

  test('a missing resource is a failed result with the REST error, without a charge', async () => {
    const { key } = await agent.stage.newKey(1);
    const missing = await agent.call('fund.get', { cik: '999' }, key);
    expect(missing.body.result).toMatchObject({
      isError: true,
      structuredContent: { error: 'fund_not_found' },
    });
    const elsewhere = await agent.call('fund.holdings', { cik: NOTICE_FUND }, key);
    expect(elsewhere.body.result.structuredContent).toMatchObject({
      error: 'holdings_reported_elsewhere',
      managers: [{ cik: FUND }],
    });
    expect([chargedOf(missing), chargedOf(elsewhere), await balanceOf(key)]).toEqual(['0', '0', 1]);
  });

  test('an error of ours is a failed result with only a request id, without a charge', async () => {
    const { db } = agent.stage.world.mongo;
    const ticker = 'BROKEN' as Ticker;
    const generatedAt = '2018-11-30T00:00:00.000Z';
    await saveBrief(db, {
      _id: 'ccm_broken',
      ticker,
      body: Buffer.from('not JSON'),
      evidence: [],
      summary: SUMMARY,
      generatedAt,
    });
    await setCurrentBrief(db, {
      _id: ticker,
      briefId: 'ccm_broken',
      version: 1,
      corpus: 0,
      algorithm: ALGORITHM_VERSION,
      at: '',
      managersObserved: 0,
      lane: 'backfill',
    });
    const { key } = await agent.stage.newKey(10);
    const answer = await agent.call('capital_change_brief', { ticker }, key);
    expect(answer.body.result).toMatchObject({
      isError: true,
      structuredContent: { error: 'internal_error' },
    });
    expect(answer.text).not.toMatch(/JSON at|Unexpected|\bat /);
    expect([chargedOf(answer), await balanceOf(key)]).toEqual(['0', 10]);
  });

  test('bad arguments are reported before the balance', async () => {
    const { key } = await agent.stage.newKey(0);
    const answer = await agent.call('events.latest', { limit: 0 }, key);
    expect(answer.body.result).toMatchObject({
      isError: true,
      structuredContent: { error: 'invalid_parameter' },
    });
    expect(answer.headers.get('x-credits-balance')).toBeNull();
  });
});

describe('a message that is not a tool call', () => {
  test('is free', async () => {
    const { key } = await agent.stage.newKey(3);
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    for (const [method, given] of [
      ['initialize', params],
      ['ping', {}],
      ['tools/list', {}],
      ['no/such', {}],
    ]) {
      const answer = await agent.post({ jsonrpc: '2.0', id: 1, method, params: given }, key);
      expect(chargedOf(answer)).toBeNull();
    }
    expect(await balanceOf(key)).toBe(3);
  });
});

describe('Idempotency-Key', () => {
  const named = { 'idempotency-key': 'order 42' };
  const events = message('events.latest', { limit: 2 });

  test('the same call over REST and as a tool is charged once', async () => {
    const { key } = await agent.stage.newKey(100);
    const rest = await agent.stage.get('/v1/events?limit=2', key, named);
    const tool = await agent.post(events, key, named);
    expect([chargedOf(rest), chargedOf(tool), tool.headers.get('idempotent-replayed')]).toEqual([
      '1',
      '0',
      'true',
    ]);
    expect(tool.body.result.structuredContent.data).toEqual(rest.body.data);
    expect(await balanceOf(key)).toBe(99);
  });

  test('another call under the key is a failed result, a bad key is one, too', async () => {
    const { key } = await agent.stage.newKey(100);
    await agent.post(events, key, named);
    const other = await agent.post(message('events.latest', { limit: 3 }), key, named);
    expect(other.body.result).toMatchObject({
      isError: true,
      structuredContent: { error: 'idempotency_mismatch' },
    });
    const bad = await agent.post(events, key, { 'idempotency-key': 'x'.repeat(256) });
    expect(bad.body.result.structuredContent.details[0].param).toBe('Idempotency-Key');
    expect(await balanceOf(key)).toBe(99);
  });

  test('a call that failed, or that the protocol refused, does not use up the key', async () => {
    const { key } = await agent.stage.newKey(100);
    await agent.post(message('fund.get', { cik: '999' }), key, named);
    const refused = await agent.post(events, key, { ...named, 'mcp-protocol-version': '2020-01-01' });
    expect(refused.status).toBe(400);
    const good = await agent.post(events, key, named);
    expect([isServed(good), chargedOf(good)]).toEqual([true, '1']);
  });
});

describe('a tool call that comes again', () => {
  const sent = (id: unknown, name: string, args: unknown) => ({ ...message(name, args), id });
  const charges = async (key: string, messages: readonly unknown[]): Promise<(string | null)[]> => {
    const charged: (string | null)[] = [];
    for (const one of messages) charged.push(chargedOf(await agent.post(one, key)));
    return charged;
  };

  test('with its id and arguments is charged once, with the same answer, however often', async () => {
    const { key } = await agent.stage.newKey(100);
    const brief = sent(7, 'capital_change_brief', { ticker: 'AAPL' });
    const first = await agent.post(brief, key);
    expect([chargedOf(first), first.headers.get('idempotent-replayed')]).toEqual(['10', null]);
    // Another spelling is the same call, as over REST.
    const spelt = sent(7, 'capital_change_brief', { ticker: 'aapl' });
    for (const again of [brief, brief, brief, spelt, brief, brief, brief]) {
      const answer = await agent.post(again, key);
      expect([chargedOf(answer), answer.headers.get('idempotent-replayed')]).toEqual(['0', 'true']);
      expect(answer.text).toBe(first.text);
    }
    expect(await balanceOf(key)).toBe(90);
  });

  test('at the same moment is charged once', async () => {
    const { key } = await agent.stage.newKey(100);
    const brief = sent('a', 'capital_change_brief', { ticker: 'AAPL' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => agent.post(brief, key)));
    expect(answers.every(isServed)).toBe(true);
    expect(answers.map(chargedOf).sort()).toEqual([...Array(7).fill('0'), '10']);
    expect(await balanceOf(key)).toBe(90);
  });

  test('with another id, tool, argument, form of the text or key is another call', async () => {
    const { key, orgId } = await agent.stage.newKey(100);
    const events = sent(1, 'events.latest', { limit: 2 });
    const others = [
      sent('1', 'events.latest', { limit: 2 }),
      sent(2, 'events.latest', { limit: 2 }),
      sent(1, 'events.latest', { limit: 3 }),
      sent(1, 'fund.list', { limit: 2 }),
      sent(1, 'events.latest', { limit: 2, text: 'json' }),
    ];
    expect(await charges(key, [events, ...others])).toEqual(['1', '1', '1', '1', '1', '1']);
    const other = await createKey(agent.stage.store, { orgName: orgId, credits: 0, label: 'another' });
    expect(await charges(other.key, [events, events])).toEqual(['1', '0']);
  });

  test('is charged again when its answer has changed, and when it waits for events', async () => {
    const { key, orgId } = await agent.stage.newKey(100);
    const poll = sent(1, 'watchlist.poll', {});
    expect(await charges(key, [poll, poll])).toEqual(['1', '0']);
    const list = { tickers: ['AAPL'], ciks: [] };
    await replaceWatchlist(agent.stage.world.mongo.db, orgId, list, '2018-11-30T12:00:00Z');
    expect(await charges(key, [poll, poll])).toEqual(['1', '0']);
    const waits = sent(2, 'events.latest', { since: '0', wait: 1 });
    expect(await charges(key, [waits, waits])).toEqual(['1', '1']);
  });

  test('a minute later is another call', async () => {
    const { key, orgId } = await agent.stage.newKey(100);
    const events = sent(1, 'events.latest', { limit: 2 });
    await agent.post(events, key);
    const { redis } = agent.stage.store;
    const markers = (await redis.keys('*')).filter((name) => name.includes(`:r:${orgId}:j-`));
    expect(markers).toHaveLength(1);
    const seconds = await redis.ttl(markers[0] ?? '');
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);
    await redis.del(markers);
    expect(chargedOf(await agent.post(events, key))).toBe('1');
  });

  test('whose first answer was not taken is charged for the second one only', async () => {
    const { key, orgId } = await agent.stage.newKey(100);
    const big = sent(1, 'capital_change_brief', { ticker: 'BIG' });
    await hangUpInTheMiddle(big, key);
    await expect.poll(() => kindsOf(agent.stage.store, orgId)).toEqual(['charge', 'void']);
    expect(await charges(key, [big, big])).toEqual(['10', '0']);
    expect(await balanceOf(key)).toBe(90);
  });
});

describe('the argument idempotency_key', () => {
  const events = (id: number, more: object) => ({
    ...message('events.latest', { limit: 2, ...more }),
    id,
  });

  test('makes calls of any id one call, and is the header of the same name', async () => {
    const { key } = await agent.stage.newKey(100);
    const named = { idempotency_key: 'order 43' };
    const first = await agent.post(events(1, named), key);
    const second = await agent.post(events(2, named), key);
    const rest = await agent.stage.get('/v1/events?limit=2', key, { 'idempotency-key': 'order 43' });
    expect([first, second, rest].map(chargedOf)).toEqual(['1', '0', '0']);
    expect(second.body.result).toEqual(first.body.result);
    const other = await agent.post(events(3, { ...named, limit: 3 }), key);
    expect(other.body.result.structuredContent.error).toBe('idempotency_mismatch');
    expect(chargedOf(await agent.post(events(1, { idempotency_key: 'order 44' }), key))).toBe('1');
    expect(await balanceOf(key)).toBe(98);
  });

  test.each([[''], ['x'.repeat(256)], ['ä'], [5]])('refuses %j, without a charge', async (bad) => {
    const { key } = await agent.stage.newKey(100);
    const answer = await agent.post(events(1, { idempotency_key: bad }), key);
    expect(answer.body.result).toMatchObject({
      isError: true,
      structuredContent: { error: 'invalid_parameter' },
    });
    expect(answer.body.result.structuredContent.details[0].param).toBe('idempotency_key');
    expect(await balanceOf(key)).toBe(100);
  });
});

test('200 parallel calls over both with a balance for 37 are served exactly 37 times', async () => {
  const { key } = await agent.stage.newKey(370);
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, at) =>
      at % 2 === 0
        ? agent.stage.get(BRIEF, key)
        : agent.call('capital_change_brief', { ticker: 'AAPL' }, key),
    ),
  );
  const served = answers.filter(isServed);
  expect(served).toHaveLength(37);
  expect(served.every((answer) => chargedOf(answer) === '10')).toBe(true);
  const refused = answers.filter((answer) => !isServed(answer));
  const errors = refused.map(({ body }) => (body.result?.structuredContent ?? body).error);
  expect(new Set(errors)).toEqual(new Set(['insufficient_credits']));
  expect(await balanceOf(key)).toBe(0);
});

test('a client that closes the connection gets back the credits of an answer that was not sent', async () => {
  const { key, orgId } = await agent.stage.newKey(1_000);
  const begun = await Promise.all(
    [1, 2, 3].map((id) =>
      hangUpInTheMiddle({ ...message('capital_change_brief', { ticker: 'BIG' }), id }, key),
    ),
  );
  // A machine that is busy with other tests may refuse one of them in time, for nothing.
  const charged = begun.filter((head) => head.startsWith('HTTP/1.1 200'));
  expect(charged).not.toEqual([]);
  await expect
    .poll(() => kindsOf(agent.stage.store, orgId))
    .toEqual([...charged.map(() => 'charge'), ...charged.map(() => 'void')]);
  expect(await balanceOf(key)).toBe(1_000);
});

/** Reads and returns the beginning of the answer, which is sent only after the charge, and resets the connection. */
function hangUpInTheMiddle(body: unknown, key: string): Promise<string> {
  const { hostname, port } = new URL(agent.url);
  const text = JSON.stringify(body);
  const head = `POST /mcp HTTP/1.1\r\nHost: tidemark.test\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(head + text));
    socket.once('data', (head) => {
      socket.pause();
      socket.resetAndDestroy();
      resolve(head.toString('latin1'));
    });
    socket.once('error', reject);
  });
}
