import { afterAll, beforeAll, expect, test } from 'vitest';
import { revokeKey } from '../../src/credits/account/key-life.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { openCreditsRedis } from '../../src/redis.ts';
import { type RunningApi, startApi } from '../../src/serve.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
let lost = '';
let lostId = '';

beforeAll(async () => {
  stage = await openStage();
  const made = await stage.newKey(100);
  lost = made.key;
  lostId = made.keyId;
  await revokeKey(stage.store, lostId);
});
afterAll(() => stage.close());

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
