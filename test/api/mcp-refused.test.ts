import { expect, test } from 'vitest';
import { openCreditsRedis } from '../../src/redis.ts';
import { startApi } from '../../src/serve.ts';
import { openAgent, send } from './agent.ts';

test('a key above its rate limit gets HTTP 429 with Retry-After and the id of its call', async () => {
  const slow = await openAgent({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '1' });
  try {
    const { key } = await slow.stage.newKey(10);
    const answers = await Promise.all(Array.from({ length: 5 }, () => slow.call('events.latest', {}, key)));
    const at = answers.findIndex(({ status }) => status === 429);
    const limited = answers[at];
    expect(limited?.body).toMatchObject({
      jsonrpc: '2.0',
      id: at + 1,
      error: { data: { error: 'rate_limited' } },
    });
    expect(limited?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(limited?.headers.get('ratelimit')).toContain('r=0');
  } finally {
    await slow.stage.close();
  }
});

test('an address that fails to authenticate too often gets HTTP 429 for every message', async () => {
  const strict = await openAgent({ FAILED_AUTH_PER_MINUTE: '2' });
  try {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const statuses: number[] = [];
    for (let time = 0; time < 3; time += 1)
      statuses.push((await strict.post(ping, 'tm_live_nonsense')).status);
    expect(statuses).toEqual([401, 401, 429]);
    const limited = await strict.post('{', null);
    expect([limited.status, limited.body.id, limited.body.error.data.error]).toEqual([
      429,
      null,
      'rate_limited',
    ]);
    expect(limited.headers.get('retry-after')).toMatch(/^\d+$/);
  } finally {
    await strict.stage.close();
  }
});

test('without Redis everything but the catalog is HTTP 503 with Retry-After', async () => {
  const { stage } = await openAgent();
  const { world } = stage;
  const redis = openCreditsRedis(world.config.creditsRedisUrl ?? '');
  await redis.connect();
  const api = await startApi({ ...world.context, creditsRedis: redis });
  const url = `http://127.0.0.1:${api.port}/mcp`;
  const { key } = await stage.newKey(10);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  redis.disconnect();
  const params = { name: 'events.latest', arguments: {} };
  for (const method of ['tools/call', 'tools/list']) {
    const answer = await send(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers);
    expect([answer.status, answer.body.id, answer.body.error.data.error]).toEqual([503, 1, 'unavailable']);
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  }
  expect((await send(`${url}/catalog`, '', {}, 'GET')).status).toBe(200);
  await api.close();
  expect((await stage.get('/v1/credits', key)).body.data.balance).toBe(10);
  await stage.close();
});
