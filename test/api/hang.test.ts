import { beforeAll, expect, test } from 'vitest';
import { openMongo } from '../../src/mongo.ts';
import { startApi } from '../../src/serve.ts';
import { opened } from '../opened.ts';
import { seed } from './corpus.ts';
import { type Relay, relayTo } from './relay.ts';
import { openStage } from './stage.ts';
import { publish } from './stock-corpus.ts';

const stage = opened(openStage);
let relay: Relay;

beforeAll(async () => {
  await seed(stage.world.mongo.db);
  relay = await relayTo(new URL(stage.world.config.mongoUrl ?? ''));
});

test('a MongoDB that hangs gives 503 with Retry-After long before the drivers give up, without a charge', async () => {
  const { world } = stage;
  const mongo = await openMongo(relay.url, world.config.mongoDb);
  const api = await startApi({ ...world.context, db: mongo.db });
  const { key } = await stage.newKey(100);
  const unused = await stage.newKey(100);
  const get = (path: string, as: string) =>
    fetch(`http://127.0.0.1:${api.port}${path}`, { headers: { authorization: `Bearer ${as}` } });
  expect((await get('/v1/funds', key)).status).toBe(200);
  relay.hang();
  const started = Date.now();
  // Another address: the first one may be answered from memory for a second.
  const [known, unknown] = await Promise.all([get('/v1/funds?limit=1', key), get('/v1/funds', unused.key)]);
  // The deadline is three seconds, the patience of the drivers thirty.
  expect(Date.now() - started).toBeLessThan(20_000);
  for (const answer of [known, unknown]) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await answer.json()).toMatchObject({ error: 'unavailable' });
  }
  expect(known.headers.get('x-credits-charged')).toBe('0');
  expect((await stage.get('/v1/credits', key)).body.data.balance).toBe(99);
  relay.cut();
  await api.close();
  await mongo.client.close();
});

test('a first reader waits for a brief that takes longer to compute than a read may', {
  tags: ['long'],
}, async () => {
  const { world } = stage;
  await publish(world.mongo.db);
  const slow = await relayTo(new URL(world.config.mongoUrl ?? ''));
  const mongo = await openMongo(slow.url, world.config.mongoDb);
  const api = await startApi({ ...world.context, db: mongo.db });
  const { key } = await stage.newKey(100);
  const headers = { authorization: `Bearer ${key}` };
  const get = (path: string) => fetch(`http://127.0.0.1:${api.port}${path}`, { headers });
  expect((await get('/v1/funds?limit=2')).status).toBe(200);
  slow.delay(400);
  const started = Date.now();
  const { status } = await get('/v1/stocks/NOBODY/capital-change-brief');
  const took = Date.now() - started;
  expect(status).toBe(200);
  // Else nothing was shown: other endpoints have three seconds.
  expect(took).toBeGreaterThan(3_000);
  slow.delay(0);
  await api.close();
  await mongo.client.close();
  slow.cut();
});
