import { beforeAll, expect, test } from 'vitest';
import { revokeKey } from '../../src/credits/account/key-life.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { openCreditsRedis } from '../../src/redis.ts';
import { type RunningApi, startApi } from '../../src/serve.ts';
import { opened } from '../opened.ts';
import { openStage } from './stage.ts';

/** Rule 12.1. */
const REVOKED_WITHIN_MS = 5_000;

const stage = opened(() => openStage({ ALLOWED_HOSTS: '127.0.0.1' }));
let lost = '';
let lostId = '';

beforeAll(async () => {
  const made = await stage.newKey(100);
  lost = made.key;
  lostId = made.keyId;
  await revokeKey(stage.store, lostId);
});

/** What a crash of Redis does to the last second of its log. */
async function loseRevocation(): Promise<void> {
  await stage.world.credits.hdel(redisKeys(stage.world.creditsTag).key(lostId), 'x');
}

const statusAt = async (api: RunningApi): Promise<number> => {
  const headers = { authorization: `Bearer ${lost}` };
  return (await fetch(`http://127.0.0.1:${api.port}/v1/events`, { headers })).status;
};

test('a revocation that Redis lost is copied again at start and when Redis is back', async () => {
  const { world } = stage;
  const redis = openCreditsRedis(world.config.creditsRedisUrl ?? '');
  await redis.connect();
  await loseRevocation();
  expect((await stage.get('/v1/events', lost)).status).toBe(200);
  const api = await startApi({ ...world.context, creditsRedis: redis });
  expect(await statusAt(api)).toBe(401);
  await loseRevocation();
  expect(await statusAt(api)).toBe(200);
  const id = await redis.client('ID');
  await world.credits.client('KILL', 'ID', id);
  await expect.poll(() => statusAt(api)).toBe(401);
  await api.close();
  redis.disconnect();
});

/** Over REST and MCP; `fetch` keeps both connections open between calls. */
async function statusesAt(api: RunningApi, key: string): Promise<number[]> {
  const origin = `http://127.0.0.1:${api.port}`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const params = { name: 'events.latest', arguments: { limit: 1 } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const answers = await Promise.all([
    fetch(`${origin}/v1/events?limit=1`, { headers }),
    fetch(`${origin}/mcp`, { method: 'POST', headers, body }),
  ]);
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  return answers.map(({ status }) => status);
}

test('a revoked key is refused within five seconds by every API that has just served it', async () => {
  const { world } = stage;
  const { key, keyId } = await stage.newKey(1_000);
  const apis = [await startApi(world.context), await startApi(world.context)];
  const ask = async () => (await Promise.all(apis.map((api) => statusesAt(api, key)))).flat();
  expect(await ask()).toEqual([200, 200, 200, 200]);
  await revokeKey(stage.store, keyId);
  await expect.poll(ask, { timeout: REVOKED_WITHIN_MS }).toEqual([401, 401, 401, 401]);
  await Promise.all(apis.map((api) => api.close()));
});
