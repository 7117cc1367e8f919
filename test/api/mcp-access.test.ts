import { beforeAll, expect, test } from 'vitest';
import { revokeKey } from '../../src/credits/account/key-life.ts';
import { opened } from '../opened.ts';
import { openAgent, send } from './agent.ts';

const agent = opened(() => openAgent({ ALLOWED_ORIGINS: 'https://app.test' }));
let key: string;

beforeAll(async () => {
  key = (await agent.stage.newKey(1_000)).key;
});

const rpc = (method: string, params?: unknown): unknown => ({ jsonrpc: '2.0', id: 1, method, params });
const CALL = rpc('tools/call', { name: 'events.latest', arguments: { limit: 1 } });
const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
const NO_KEY = 'Bearer realm="tidemark"';

test.each([
  ['initialize', rpc('initialize', HELLO)],
  ['ping', rpc('ping')],
  ['tools/list', rpc('tools/list')],
  ['tools/call', CALL],
  ['an unknown tool', rpc('tools/call', { name: 'no.such' })],
  ['no JSON', '{'],
])('%s without a key, or with a bad one, is 401 with id null', async (_name, body) => {
  const missing = await agent.post(body, null);
  expect([missing.status, missing.body.id, missing.headers.get('www-authenticate')]).toEqual([
    401,
    null,
    NO_KEY,
  ]);
  expect(missing.body.error.data.error).toBe('unauthorized');
  // With a valid checksum, so only a look-up shows that it is unknown.
  const other = await agent.stage.newKey(1);
  await revokeKey(agent.stage.store, other.keyId);
  for (const bad of ['tm_live_nonsense', other.key]) {
    const answer = await agent.post(body, bad);
    const challenge = `${NO_KEY}, error="invalid_token"`;
    expect([answer.status, answer.body.id, answer.headers.get('www-authenticate')]).toEqual([
      401,
      null,
      challenge,
    ]);
  }
});

test.each(['https://evil.test', 'null', 'http://tidemark.test', 'http://localhost:8080'])(
  'a page of %s is 403',
  async (origin) => {
    const answer = await agent.post(CALL, key, { origin });
    expect([answer.status, answer.body.error.data.error]).toEqual([403, 'forbidden']);
    const asked = await send(agent.url, '', { origin, 'access-control-request-method': 'POST' }, 'OPTIONS');
    expect(asked.status).toBe(403);
  },
);

test.each(['https://tidemark.test', 'https://app.test'])('a page of %s is allowed', async (origin) => {
  expect((await agent.post(CALL, key, { origin })).status).toBe(200);
  const asked = await send(agent.url, '', { origin, 'access-control-request-method': 'POST' }, 'OPTIONS');
  expect(asked.status).toBe(204);
  expect(asked.headers.get('access-control-allow-headers')).toContain('Mcp-Protocol-Version');
  expect(asked.headers.get('access-control-allow-methods')).toBe('POST');
});

test('another Host is 403, the Host of the site is allowed', async () => {
  expect((await agent.post(CALL, key, { host: 'evil.test' })).status).toBe(403);
  expect((await agent.post(CALL, key, { host: 'tidemark.test' })).status).toBe(200);
});

test.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'])('%s is 405 with Allow', async (method) => {
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
  const answer = await send(agent.url, '', headers, method);
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
});

test('a key in the query is refused', async () => {
  const url = `${agent.url}?api_key=${key}`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await send(url, JSON.stringify(CALL), headers);
  expect([answer.status, answer.body.error.code]).toEqual([400, -32_600]);
  expect(answer.text).not.toContain(key);
});
