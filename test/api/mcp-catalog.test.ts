import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/api/endpoints/index.ts';
import { opened } from '../opened.ts';
import { openAgent, send } from './agent.ts';

const agent = opened(openAgent);

const ask = (headers: Record<string, string> = {}, method = 'GET') =>
  send(`${agent.url}/catalog`, '', headers, method);

test('the catalog is free, without a key, and open to every origin', async () => {
  const answer = await ask({ origin: 'https://anywhere.test', host: 'anywhere.test' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  const { data } = answer.body;
  expect(data.server).toEqual({ name: 'tidemark', version: '1.0.0' });
  expect(data.protocol_versions.slice(0, 3)).toEqual(['2026-07-28', '2025-11-25', '2025-06-18']);
});

test('it equals tools/list with the price and the REST mirror of each tool', async () => {
  const { key } = await agent.stage.newKey(1);
  const listed = await agent.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, key);
  const { tools } = (await ask()).body.data;
  const bare = tools.map(
    ({ cost_credits: _cost, rest_mirror: _mirror, ...tool }: Record<string, unknown>) => tool,
  );
  expect(bare).toEqual(listed.body.result.tools);
  const priced = tools.map(({ name, cost_credits, rest_mirror }: Record<string, unknown>) => [
    name,
    cost_credits,
    rest_mirror,
  ]);
  expect(priced).toEqual(ENDPOINTS.map(({ name, credits, path }) => [name, credits, `GET /v1${path}`]));
});

test('it has the resource template and the prompt too', async () => {
  const { data } = (await ask()).body;
  expect(data.resource_templates).toMatchObject([{ uriTemplate: 'tidemark://briefs/{brief_id}' }]);
  expect(data.prompts).toMatchObject([{ name: 'read_a_brief', arguments: [{ name: 'ticker' }] }]);
});

test('its versions are those that the server supports', async () => {
  const { key } = await agent.stage.newKey(1);
  const { protocol_versions: versions } = (await ask()).body.data;
  const hello = (version: string) =>
    agent.post(
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      },
      key,
    );
  const [current, ...shaken] = versions as string[];
  for (const version of shaken) expect((await hello(version)).body.result.protocolVersion).toBe(version);
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': current,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const found = await agent.post(
    { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: envelope } },
    key,
    { 'mcp-protocol-version': current ?? '', 'mcp-method': 'server/discover' },
  );
  expect(found.body.result.supportedVersions).toEqual([current]);
});

test('a client that has it gets 304', async () => {
  const etag = (await ask()).headers.get('etag') ?? '';
  expect(etag).toMatch(/^W\/"[0-9a-f]{32}"$/);
  const again = await ask({ 'if-none-match': etag.slice(2), 'cache-control': 'no-cache' });
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
  expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200);
});

test('other methods are 405, HEAD has no body, a key in the query is refused', async () => {
  for (const method of ['POST', 'DELETE']) {
    const answer = await ask({}, method);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  }
  const head = await ask({}, 'HEAD');
  expect([head.status, head.text]).toEqual([200, '']);
  expect((await ask({}, 'OPTIONS')).status).toBe(204);
  const { key } = await agent.stage.newKey(1);
  expect((await send(`${agent.url}/catalog?key=${key}`, '', {}, 'GET')).status).toBe(400);
});
