import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { sha256Hex } from '../../src/domain/canonical.ts';
import { openMongo } from '../../src/mongo.ts';
import { openCreditsRedis } from '../../src/redis.ts';
import { startApi } from '../../src/serve.ts';
import { opened } from '../opened.ts';
import { kindsOf } from './changes.ts';
import { FUND, seed, seedBrief } from './corpus.ts';
import { openStage } from './stage.ts';

const BRIEF = '/v1/stocks/AAPL/capital-change-brief';
const stage = opened(openStage);

beforeAll(async () => {
  await seed(stage.world.mongo.db);
  await seedBrief(stage.world.mongo.db, 'AAPL', 'x');
  // More than the buffers of both ends of a socket hold.
  await seedBrief(stage.world.mongo.db, 'BIG', 'x'.repeat(70_000));
});

const balanceOf = async (key: string): Promise<number> =>
  (await stage.get('/v1/credits', key)).body.data.balance;

/** A brief, or why not. A busy machine may answer 503 before it looks at the balance: then it is asked again. */
async function judged(key: string) {
  for (let left = 20; ; left -= 1) {
    const answer = await stage.get(BRIEF, key);
    if (answer.status !== 503 || left === 0) return answer;
  }
}

describe('parallel calls', () => {
  test('200 at once with a balance for 37: exactly 37 are served, the others get 402', async () => {
    const { key } = await stage.newKey(370);
    const answers = await Promise.all(Array.from({ length: 200 }, () => judged(key)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(37);
    const refused = answers.filter((answer) => answer.status === 402);
    expect(refused).toHaveLength(163);
    expect(refused.every(({ body }) => body.needed === 10 && body.balance < 10)).toBe(true);
    expect(await balanceOf(key)).toBe(0);
  });
});

describe('Idempotency-Key', () => {
  const named = { 'idempotency-key': 'order 42 / retry ~' };

  test('the same call is charged once, replayed free five times, then exhausted', async () => {
    const { key } = await stage.newKey(100);
    const first = await stage.get(BRIEF, key, named);
    expect(first.headers.get('x-credits-charged')).toBe('10');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    for (let replay = 0; replay < 5; replay += 1) {
      const again = await stage.get(BRIEF, key, named);
      expect(again.status).toBe(200);
      expect(again.text).toBe(first.text);
      expect(again.headers.get('x-credits-charged')).toBe('0');
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    const exhausted = await stage.get(BRIEF, key, named);
    expect([exhausted.status, exhausted.body.error]).toEqual([409, 'idempotency_exhausted']);
    expect(exhausted.headers.get('retry-after')).toBeNull();
    expect(await balanceOf(key)).toBe(90);
  });

  test('another call with the same key is 422; another organisation is not affected', async () => {
    const mine = await stage.newKey(100);
    const other = await stage.newKey(100);
    await stage.get('/v1/events?limit=1', mine.key, named);
    const mismatch = await stage.get('/v1/events?limit=2', mine.key, named);
    expect([mismatch.status, mismatch.body.error]).toEqual([422, 'idempotency_mismatch']);
    expect(mismatch.headers.get('x-credits-charged')).toBe('0');
    const theirs = await stage.get('/v1/events?limit=2', other.key, named);
    expect(theirs.headers.get('x-credits-charged')).toBe('1');
  });

  test.each([
    [BRIEF, '/v1/stocks/aapl/capital-change-brief'],
    [`/v1/funds/${FUND}`, `/v1/funds/${Number(FUND)}`],
    ['/v1/funds', '/v1/funds?limit=50&page=1'],
    ['/v1/events?tickers=AAPL&limit=1', '/v1/events?limit=1&tickers=aapl'],
  ])('%s and %s are the same call', async (one, other) => {
    const { key } = await stage.newKey(100);
    const first = await stage.get(one, key, named);
    const again = await stage.get(other, key, named);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.text).toBe(first.text);
  });

  test('concurrent calls are charged once; the ones not replayed are 409', async () => {
    const { key } = await stage.newKey(100);
    const answers = await Promise.all(Array.from({ length: 6 }, () => stage.get('/v1/events', key, named)));
    const charged = answers.filter((answer) => answer.headers.get('x-credits-charged') === '1');
    expect(charged).toHaveLength(1);
    for (const answer of answers) expect([200, 409]).toContain(answer.status);
    expect(await balanceOf(key)).toBe(99);
  });

  test('a call beside one in progress is 409, uncharged, and says when to try again', async () => {
    const { key, orgId } = await stage.newKey(100);
    const { credits, creditsTag } = stage.world;
    const marker = redisKeys(creditsTag).marker(orgId, `i-${sha256Hex('in progress').slice(0, 40)}`);
    await credits.set(marker, 'O|another', 'PX', 60_000);
    const beside = { 'idempotency-key': 'in progress' };
    const refused = await stage.get(BRIEF, key, beside);
    expect([refused.status, refused.body.error]).toEqual([409, 'idempotency_conflict']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('x-credits-charged')).toBe('0');
    await credits.del(marker);
    expect((await stage.get(BRIEF, key, beside)).status).toBe(200);
    expect(await balanceOf(key)).toBe(90);
  });

  test('a call that failed without a charge does not use up the key', async () => {
    const { key } = await stage.newKey(100);
    expect((await stage.get('/v1/funds/1', key, named)).status).toBe(404);
    expect((await stage.get('/v1/funds?page=0', key, named)).status).toBe(400);
    const good = await stage.get('/v1/funds', key, named);
    expect([good.status, good.headers.get('x-credits-charged')]).toEqual([200, '1']);
  });

  test('an empty, too long or non-ASCII key is 400', async () => {
    const { key } = await stage.newKey(100);
    for (const bad of ['x'.repeat(256), 'caf\u00e9', 'tab\there']) {
      const answer = await stage.get('/v1/events', key, { 'idempotency-key': bad });
      expect(answer.status).toBe(400);
      expect(answer.body.details[0].param).toBe('Idempotency-Key');
    }
  });
});

describe('a client that closes the connection', () => {
  test.each([
    ['the hot path', '/v1/stocks/BIG/capital-change-brief'],
    ['the full path', '/v1/stocks/%42IG/capital-change-brief'],
  ])('on %s gets back the credits of an answer that was not sent', async (_name, path) => {
    const { key, orgId } = await stage.newKey(1_000);
    await stage.get('/v1/credits', key);
    await Promise.all(Array.from({ length: 3 }, () => hangUpInTheMiddle(path, key)));
    await expect
      .poll(() => kindsOf(stage.store, orgId), { timeout: 30_000 })
      .toEqual(['charge', 'charge', 'charge', 'void', 'void', 'void']);
    expect(await balanceOf(key)).toBe(1_000);
  });
});

test.each([
  ['the hot path', BRIEF],
  ['the full path', '/v1/events?limit=1'],
])('a client that ends its own half of the connection is answered on %s, and pays', async (_name, path) => {
  const { key, orgId } = await stage.newKey(1_000);
  await stage.get('/v1/credits', key);
  for (let n = 0; n < 5; n += 1) expect(await answerAfterEnd(path, key)).toMatch(/^HTTP\/1.1 200 .*[}]$/s);
  expect(await kindsOf(stage.store, orgId)).toEqual(Array(5).fill('charge'));
});

/** What comes to a client that sends one request and the end of its half together; asks again after a 503. */
async function answerAfterEnd(path: string, key: string): Promise<string> {
  const { port } = new URL(stage.origin);
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  socket.end(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  const text = Buffer.concat(await socket.toArray()).toString();
  return text.startsWith('HTTP/1.1 503') ? answerAfterEnd(path, key) : text;
}

test('an answer that ends its connection is charged', async () => {
  const { key, orgId } = await stage.newKey(1_000);
  for (const path of [BRIEF, '/v1/events']) {
    expect((await stage.get(path, key, { connection: 'close' })).status).toBe(200);
  }
  // Voids are made in order, so one that was wrong would stand before this call's charge.
  await stage.get('/v1/funds', key);
  expect(await kindsOf(stage.store, orgId)).toEqual(['charge', 'charge', 'charge']);
});

/**
 * Reads the beginning of the answer, which is sent only after the charge, and resets the connection. A busy machine
 * may answer 503: then it asks again.
 */
async function hangUpInTheMiddle(path: string, key: string): Promise<void> {
  for (let left = 20; left > 0; left -= 1) {
    if ((await beginningOf(path, key)).startsWith('HTTP/1.1 200')) return;
  }
  throw new Error(`${path} is not answered`);
}

function beginningOf(path: string, key: string): Promise<string> {
  const { port } = new URL(stage.origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    });
    socket.once('data', (chunk) => {
      socket.pause();
      socket.resetAndDestroy();
      resolve(chunk.toString('latin1'));
    });
    socket.once('error', reject);
  });
}

describe('an unavailable service', () => {
  test('without Redis: 503 with Retry-After; live is 200, ready names what is missing', async () => {
    const { world } = stage;
    const redis = openCreditsRedis(world.config.creditsRedisUrl ?? '');
    await redis.connect();
    const api = await startApi({ ...world.context, creditsRedis: redis });
    const { key } = await stage.newKey(100);
    const get = (path: string) =>
      fetch(`http://127.0.0.1:${api.port}${path}`, { headers: { authorization: `Bearer ${key}` } });
    expect((await get(BRIEF)).status).toBe(200);
    redis.disconnect();
    for (const path of [BRIEF, '/v1/events', '/v1/credits']) {
      const answer = await get(path);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(await answer.json()).toMatchObject({ error: 'unavailable' });
    }
    expect((await get('/health/live')).status).toBe(200);
    const ready = await get('/health/ready');
    expect(ready.status).toBe(503);
    expect(JSON.stringify(await ready.json())).toContain('redis');
    // The call whose charge got no reply is voided as soon as Redis is back.
    await redis.connect();
    await api.close();
    expect(await balanceOf(key)).toBe(90);
    redis.disconnect();
  });

  test('without MongoDB: 503 without a charge', async () => {
    const { world } = stage;
    const mongo = await openMongo(world.config.mongoUrl ?? '', world.config.mongoDb);
    const redis = world.credits.duplicate();
    await redis.connect();
    const api = await startApi({ ...world.context, db: mongo.db, creditsRedis: redis });
    const { key } = await stage.newKey(100);
    const get = (path: string) =>
      fetch(`http://127.0.0.1:${api.port}${path}`, { headers: { authorization: `Bearer ${key}` } });
    expect((await get('/v1/funds')).status).toBe(200);
    await mongo.client.close();
    // Another address: the first one may be answered from memory for a second.
    const answer = await get('/v1/funds?limit=1');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('x-credits-charged')).toBe('0');
    expect(await balanceOf(key)).toBe(99);
    await api.close();
    redis.disconnect();
  });
});
