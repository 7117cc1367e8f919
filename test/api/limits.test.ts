import { beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '../../src/credits/account/key-life.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { openMongo } from '../../src/mongo.ts';
import { startApi } from '../../src/serve.ts';
import { opened } from '../opened.ts';
import { seed, seedBrief } from './corpus.ts';
import { relayTo } from './relay.ts';
import { openStage } from './stage.ts';

const AAPL = '/v1/stocks/AAPL/capital-change-brief';

const stage = opened(() =>
  openStage({
    RATE_LIMIT_PER_SECOND: '1',
    RATE_LIMIT_BURST: '5',
  }),
);
beforeAll(async () => {
  await seed(stage.world.mongo.db);
  await seedBrief(stage.world.mongo.db, 'AAPL', 'x');
});

type Asked = readonly [path: string, key: string];
const isRefused = async (asked: Asked): Promise<boolean> => (await stage.get(...asked)).status === 429;

/** Whether the other call is refused soon after the one: with a rate of its own it would pass five times. */
async function isShared(one: Asked, other: Asked): Promise<boolean> {
  for (let passed = 0; passed < 5; passed += 1) {
    while (!(await isRefused(one)));
    if (await isRefused(other)) return true;
  }
  return false;
}

describe('the rate of an organisation', () => {
  test.each([
    ['over the full path', '/v1/funds', 1],
    ['over the warm path', AAPL, 10],
  ])('accepts the burst and refuses the rest without a charge, %s', async (_name, path, price) => {
    const { key, orgId } = await stage.newKey(1_000);
    // The first call warms the brief. Each second that passes meanwhile gives one call back.
    const answers = [await stage.get(path, key)];
    while (answers.length < 40 && answers.at(-1)?.status !== 429) answers.push(await stage.get(path, key));
    const passed = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect(passed.length).toBeGreaterThanOrEqual(5);
    expect([passed.length, refused.length]).toEqual([answers.length - 1, 1]);
    expect(answers[0]?.headers.get('ratelimit')).toBe('"organization";r=4;t=1');
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"organization";q=5;w=5');
    const [refusal] = refused;
    expect(refusal?.body.error).toBe('rate_limited');
    expect(Number(refusal?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refusal?.body.message).toContain('Try again in 1 second.');
    expect(refusal?.headers.get('x-credits-charged')).toBe('0');
    expect(refusal?.headers.get('x-credits-balance')).toBeNull();
    expect(refusal?.headers.get('ratelimit')).toMatch(/^"organization";r=0;t=5$/);
    const keys = redisKeys(stage.world.creditsTag);
    const left = Number(await stage.world.credits.hget(keys.org(orgId), 'bal'));
    expect(left).toBe(1_000 - passed.length * price);
  });

  test('is shared by both paths and counts invalid calls', async () => {
    const { key } = await stage.newKey(1_000);
    // Warms the brief.
    await stage.get(AAPL, key);
    expect(await isShared(['/v1/funds?limit=0', key], [AAPL, key])).toBe(true);
  });

  test('is that of all its keys, and does not affect another organisation', async () => {
    const [one, other] = [await stage.newKey(100), await stage.newKey(100)];
    const second = await createKey(stage.store, { orgName: one.orgName, credits: 0, label: 'second' });
    expect(await isShared(['/v1/funds', one.key], ['/v1/funds', second.key])).toBe(true);
    expect((await stage.get('/v1/funds', other.key)).status).toBe(200);
  });

  test('starts again when the clock of Redis was set back', async () => {
    const { key, orgId } = await stage.newKey(100);
    const org = redisKeys(stage.world.creditsTag).org(orgId);
    await stage.get('/v1/funds', key);
    await stage.world.credits.hset(org, 't', String(Date.now() + 86_400_000));
    expect((await stage.get('/v1/funds', key)).status).toBe(200);
  });
});

describe('calls in progress', () => {
  test('are limited per key with 429 and per process with 503, at once, without a charge, except health', async () => {
    const { world } = stage;
    const relay = await relayTo(new URL(world.config.mongoUrl ?? ''));
    const mongo = await openMongo(relay.url, world.config.mongoDb);
    const limits = { ...world.config.limits, callsPerSecond: 0, inFlightPerKey: 2, inFlight: 4 };
    const config = { ...world.config, limits };
    const api = await startApi({ ...world.context, config, db: mongo.db });
    const get = (path: string, key: string) =>
      fetch(`http://127.0.0.1:${api.port}${path}`, { headers: { authorization: `Bearer ${key}` } });
    const [one, other] = [await stage.newKey(100), await stage.newKey(100)];
    for (const { key } of [one, other]) expect((await get('/v1/funds', key)).status).toBe(200);
    relay.hang();
    // Nobody has asked for it, so it is in no memory.
    const slow = '/v1/funds?limit=7';
    const hanging = [get(slow, one.key), get(slow, one.key)];
    const greedy = await until(() => get(slow, one.key), 429);
    expect(await greedy.json()).toMatchObject({ error: 'rate_limited' });
    expect(greedy.headers.get('retry-after')).toBe('1');
    expect(greedy.headers.get('x-credits-charged')).toBe('0');
    hanging.push(get(slow, other.key), get(slow, other.key));
    const shed = await until(() => get(slow, other.key), 503);
    expect(await shed.json()).toMatchObject({ error: 'unavailable' });
    expect(Number(shed.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await fetch(`http://127.0.0.1:${api.port}/health/live`)).status).toBe(200);
    for (const answer of await Promise.all(hanging)) expect(answer.status).toBe(503);
    for (const { key } of [one, other]) {
      expect((await stage.get('/v1/credits', key)).body.data.balance).toBe(99);
    }
    relay.cut();
    await api.close();
    await mongo.client.close();
  });
});

/** Asks again until the answer has the status; the calls before it may not have arrived yet. */
async function until(ask: () => Promise<Response>, status: number): Promise<Response> {
  for (;;) {
    const answer = await Promise.race([
      ask(),
      new Promise<null>((resolve) => setTimeout(resolve, 250, null)),
    ]);
    if (answer?.status === status) return answer;
  }
}
