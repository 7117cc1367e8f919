import { gzipSync } from 'node:zlib';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { beforeAll, describe, expect, test } from 'vitest';
import { opened } from '../opened.ts';
import { openAgent, send } from './agent.ts';
import { FUND, seed } from './corpus.ts';
import type { Answer } from './stage.ts';
import { publish } from './stock-corpus.ts';

const agent = opened(openAgent);
let key: string;

beforeAll(async () => {
  await seed(agent.stage.world.mongo.db);
  await publish(agent.stage.world.mongo.db);
  key = (await agent.stage.newKey(1_000)).key;
});

const rpc = (method: string, params?: unknown, id: unknown = 1): unknown => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});
const client = { name: 'a test', version: '1' };
const initialize = (protocolVersion: string): unknown =>
  rpc('initialize', { protocolVersion, capabilities: {}, clientInfo: client });
const EVENTS = { name: 'events.latest', arguments: { limit: 1 } };
const CALL = rpc('tools/call', EVENTS);

/** What revision 2026-07-28 carries with each request. */
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': client,
};
const current = (method: string, params: object, name?: string): Promise<Answer> =>
  agent.post(rpc(method, { ...params, _meta: ENVELOPE }), key, {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  });

/** The answer to `tools/list` in a revision, at the address with this query. */
const listed = (version: string, query: string): Promise<Answer> => {
  const isCurrent = version === '2026-07-28';
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'mcp-protocol-version': version,
    ...(isCurrent ? { 'mcp-method': 'tools/list' } : {}),
  };
  const params = isCurrent ? { _meta: ENVELOPE } : undefined;
  return send(`${agent.url}${query}`, JSON.stringify(rpc('tools/list', params)), headers);
};

describe('every revision', () => {
  test.each([...SUPPORTED_PROTOCOL_VERSIONS])('%s initializes, lists and calls', async (version) => {
    const hello = await agent.post(initialize(version), key);
    expect(hello.body.result).toMatchObject({
      protocolVersion: version,
      capabilities: { tools: {}, resources: {}, prompts: {} },
      serverInfo: { name: 'tidemark' },
    });
    const headers = { 'mcp-protocol-version': version };
    const ready = await agent.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, key, headers);
    expect([ready.status, ready.text]).toEqual([202, '']);
    const list = await agent.post(rpc('tools/list'), key, headers);
    expect(list.body.result.tools.length).toBeGreaterThan(5);
    const called = await agent.post(CALL, key, headers);
    expect(called.body.result.structuredContent.data.events).toHaveLength(1);
  });

  test('for an unknown revision the answer has the latest one with a handshake', async () => {
    const hello = await agent.post(initialize('1999-01-01'), key);
    expect(hello.body.result.protocolVersion).toBe('2025-11-25');
  });

  test.each([...SUPPORTED_PROTOCOL_VERSIONS, '2026-07-28'])(
    '%s lists schemas that are plain objects at the top, in both spellings',
    async (version) => {
      for (const query of ['', '?names=underscore']) {
        const { tools } = (await listed(version, query)).body.result;
        expect(tools.length).toBeGreaterThan(5);
        for (const { name, inputSchema, outputSchema } of tools)
          for (const schema of [inputSchema, outputSchema]) {
            expect([name, schema.type]).toEqual([name, 'object']);
            const others = Object.keys(schema).filter((word) =>
              /of$|^(not|if|then|else|enum|\$ref)$/i.test(word),
            );
            expect([name, others]).toEqual([name, []]);
          }
      }
    },
  );

  test('2026-07-28 discovers, lists and calls without a handshake', async () => {
    const found = await current('server/discover', {});
    expect(found.body.result).toMatchObject({ supportedVersions: ['2026-07-28'], resultType: 'complete' });
    const list = await current('tools/list', {});
    expect(list.body.result).toMatchObject({ ttlMs: 300_000, cacheScope: 'public' });
    const ofForm4 = { ...EVENTS, arguments: { limit: 1, form: '4' } };
    const called = await current('tools/call', ofForm4, EVENTS.name);
    expect(called.body.result.structuredContent.data.events).toHaveLength(1);
    expect(called.headers.get('x-credits-charged')).toBe('1');
  });

  test('2026-07-28 with headers that contradict the body is refused before the work, uncharged', async () => {
    const answer = await current('tools/call', EVENTS, 'fund.get');
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([400, -32_020, 1]);
    expect(answer.headers.get('x-credits-charged')).toBe('0');
  });
});

describe('a bare call', () => {
  test('with only Authorization and Content-Type gets JSON', async () => {
    const answer = await agent.post(CALL, key);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{8,64}$/);
    const { content, structuredContent } = answer.body.result;
    expect(content).toHaveLength(1);
    expect(content[0].text).toContain(structuredContent.data.events[0].accession_number);
    const whole = await agent.call('events.latest', { limit: 1, text: 'json' }, key);
    const { result } = whole.body;
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
  });

  test('is answered at the address with a slash, too', async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await send(`${agent.url}/`, JSON.stringify(CALL), headers);
    expect([answer.status, answer.body.result.structuredContent.data.events.length]).toEqual([200, 1]);
  });

  test.each(['text/event-stream', 'text/html', '*/*'])('that accepts %s gets JSON too', async (accept) => {
    const answer = await agent.post(CALL, key, { accept });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  });

  test('keeps its X-Request-Id and gets no session', async () => {
    const answer = await agent.post(initialize('2025-11-25'), key, { 'x-request-id': 'my-request-1' });
    expect(answer.headers.get('x-request-id')).toBe('my-request-1');
    expect(answer.headers.get('mcp-session-id')).toBeNull();
  });

  test.each(['a', '', 0, -3])('gets back its id %j', async (id) => {
    const answer = await agent.post(rpc('ping', undefined, id), key);
    expect(answer.body).toEqual({ jsonrpc: '2.0', id, result: {} });
  });
});

describe('names without dots', () => {
  const underscored = (body: unknown): Promise<Answer> =>
    send(`${agent.url}?names=underscore`, JSON.stringify(body), {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    });

  test('are listed at their own address, and each is one that every host takes', async () => {
    const { tools } = (await underscored(rpc('tools/list'))).body.result;
    for (const { name } of tools) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const own = (await agent.post(rpc('tools/list'), key)).body.result.tools;
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(
      own.map(({ name }: { name: string }) => name.replaceAll('.', '_')),
    );
    const hello = await underscored(initialize('2025-11-25'));
    expect(hello.body.result.instructions).toContain('events_latest');
    expect(hello.body.result.instructions).not.toContain('events.latest');
  });

  test('are called at both addresses, and so are those with dots', async () => {
    for (const name of ['events.latest', 'events_latest']) {
      const call = (id: string) => rpc('tools/call', { ...EVENTS, name }, `${name} ${id}`);
      for (const answer of [await underscored(call('a')), await agent.post(call('b'), key)]) {
        expect(answer.body.result.structuredContent.data.events).toHaveLength(1);
        expect(answer.headers.get('x-credits-charged')).toBe('1');
      }
    }
    const now = await current('tools/call', { ...EVENTS, name: 'events_latest' }, 'events_latest');
    expect(now.body.result.structuredContent.data.events).toHaveLength(1);
  });

  test('have one spelling of their address: another one is refused', async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await send(`${agent.url}?names=snake`, JSON.stringify(CALL), headers);
    expect([answer.status, answer.body.error.code]).toEqual([400, -32_600]);
    expect(answer.body.error.message).toBe('names must be underscore, not "snake".');
  });
});

test('a list has ten rows unless more are asked for, and the stream fifty', async () => {
  const resultOf = async (name: string, args: object) =>
    (await agent.call(name, args, key)).body.result.structuredContent;
  const events = async (args: object) =>
    (await resultOf('events.latest', { since: '0', ...args })).data.events.length;
  const all = await events({ limit: 200 });
  expect(all).toBeGreaterThan(10);
  expect(await events({})).toBe(Math.min(all, 50));
  expect((await resultOf('fund.list', {})).pagination.limit).toBe(10);
});

describe('errors of the protocol', () => {
  test.each([
    ['{', 400, -32_700, null],
    ['[]', 400, -32_600, null],
    [[CALL], 400, -32_600, null],
    [rpc('ping', undefined, null), 400, -32_600, null],
    [{ jsonrpc: '2.0', id: 'x', result: {} }, 400, -32_600, 'x'],
    [rpc('completion/complete'), 200, -32_601, 1],
    [rpc('resources/list', { cursor: 'x' }), 200, -32_602, 1],
    [rpc('resources/read'), 200, -32_602, 1],
    [rpc('resources/read', { uri: 'tidemark://briefs/ccm_1' }), 200, -32_602, 1],
    [rpc('prompts/get', { name: 'no_such' }), 200, -32_602, 1],
    [rpc('prompts/get', { name: 'read_a_brief' }), 200, -32_602, 1],
    [rpc('no/such', undefined, 'a'), 200, -32_601, 'a'],
    [rpc('subscriptions/listen', {}), 404, -32_601, 1],
    [rpc('initialize', {}), 200, -32_602, 1],
    [rpc('tools/list', { cursor: 'x' }), 200, -32_602, 1],
    [rpc('tools/list', { cursor: 5, _meta: { progressToken: 1 } }), 200, -32_602, 1],
    [rpc('tools/call'), 200, -32_602, 1],
    [rpc('tools/call', { name: 'no.such', arguments: {} }, 0), 200, -32_602, 0],
    [rpc('tools/call', { name: 5 }), 200, -32_602, 1],
    [rpc('tools/call', { name: 'events.latest', arguments: [] }), 200, -32_602, 1],
    [rpc('tools/call', { name: 'events.latest', arguments: null }), 200, -32_602, 1],
  ])('%j is HTTP %i, %i, id %j', async (body, status, code, id) => {
    const answer = await agent.post(body, key);
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([status, code, id]);
    expect(answer.body.jsonrpc).toBe('2.0');
  });

  test('all bad arguments are listed at once, with the given values', async () => {
    const args = { limit: 0, tickers: 'AAPL', [`x${'y'.repeat(100)}`]: 1, form: 'tm_live_secret' };
    const { result } = (await agent.call('events.latest', args, key)).body;
    expect(result.isError).toBe(true);
    const error = result.structuredContent;
    expect(error.error).toBe('invalid_parameter');
    const details = error.details as { param: string; value?: string }[];
    expect(details.map(({ param }) => param).sort()).toEqual(
      ['form', 'limit', 'tickers', `x${'y'.repeat(63)}…`].sort(),
    );
    expect(details.find(({ param }) => param === 'limit')?.value).toBe('0');
    expect(JSON.stringify(result)).not.toContain('tm_live');
    expect(result.content[0].text).toContain('limit must be 1 to 200, not 0.');
  });

  test.each([
    ['an operator', { cik: { $gt: '' } }],
    ['a prototype', JSON.parse('{"cik":"1","__proto__":{"x":1}}')],
    ['a constructor', { cik: '1', constructor: { prototype: {} } }],
    ['an object that is no text', { cik: '1', x: [{ toString: 1 }] }],
    ['a fraction for a text', { cik: 1_067_983.5 }],
    ['another form of the text', { cik: '1', text: 'markdown' }],
  ])('%s in the arguments is a result that says so, uncharged', async (_name, args) => {
    const answer = await agent.call('fund.get', args, key);
    expect(answer.body.result).toMatchObject({
      isError: true,
      structuredContent: { error: 'invalid_parameter' },
    });
    expect(answer.headers.get('x-credits-charged')).toBe('0');
  });

  test.each([
    ['digits in a text', 'events.latest', { limit: '2', since: '0' }],
    ['a cursor as a number', 'events.latest', { since: 0, limit: 2 }],
    ['an id as a number', 'fund.get', { cik: Number(FUND) }],
    ['a flag as a boolean', 'insider.transactions', { exclude_10b5_1: true }],
  ])('%s is taken', async (_name, tool, args) => {
    const answer = await agent.call(tool, args, key);
    expect(answer.body.result.isError).toBeUndefined();
  });

  test.each([
    ['fund.holding', 'fund.holdings'],
    ['capital-change-brief', 'capital_change_brief'],
    ['fund_lst', 'fund_list'],
  ])('the unknown tool %s is told the nearest, %s', async (name, found) => {
    const { error } = (await agent.call(name, {}, key)).body;
    expect(error.code).toBe(-32_602);
    expect(error.message).toBe(`name must be the name of a tool, not "${name}"; you may mean ${found}.`);
  });

  test('one that is near to none is told all', async () => {
    const { error } = (await agent.call('weather', {}, key)).body;
    expect(error.message).toContain('they are fund_list, fund_get,');
  });

  test('a notification is 202 without a body; a call in it is not run and not charged', async () => {
    const rich = await agent.stage.newKey(5);
    const answer = await agent.post({ jsonrpc: '2.0', method: 'tools/call', params: EVENTS }, rich.key);
    expect([answer.status, answer.text]).toEqual([202, '']);
    const balance = await agent.call('credits.balance', {}, rich.key);
    expect(balance.body.result.structuredContent.data.balance).toBe(5);
  });
});

describe('the body', () => {
  test('of 10,000 levels is 400 -32600', async () => {
    const answer = await agent.post(`${'['.repeat(10_000)}${']'.repeat(10_000)}`, key);
    expect([answer.status, answer.body.error.code]).toEqual([400, -32_600]);
  });

  test('of more than 64 KB is 413, announced or chunked', async () => {
    const large = JSON.stringify('x'.repeat(1024 * 1024));
    expect((await agent.post(large, key)).status).toBe(413);
    expect((await agent.post(large, key, { 'transfer-encoding': 'chunked' })).status).toBe(413);
  });

  test('in chunks is read', async () => {
    const answer = await agent.post(CALL, key, { 'transfer-encoding': 'chunked' });
    expect([answer.status, answer.body.result.isError]).toEqual([200, undefined]);
  });

  test('that is compressed or not JSON by its type is 415', async () => {
    const bomb = gzipSync('['.repeat(5_000_000));
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    expect((await send(agent.url, bomb, { ...headers, 'content-encoding': 'gzip' })).status).toBe(415);
    const text = await send(agent.url, JSON.stringify(CALL), { ...headers, 'content-type': 'text/plain' });
    expect([text.status, text.body.error.data.error]).toEqual([415, 'unsupported_media_type']);
  });

  test('that is not UTF-8 is -32700', async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await send(agent.url, Buffer.from([0x7b, 0xff, 0x7d]), headers);
    expect([answer.status, answer.body.error.code]).toEqual([400, -32_700]);
  });
});
