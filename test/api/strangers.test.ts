import { MongoClient } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../../src/credits/account/key.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { startApi } from '../../src/serve.ts';
import { opened } from '../opened.ts';
import { seed } from './corpus.ts';
import { openStage } from './stage.ts';

const MAX_FAILURES = 4;

const stage = opened(() => openStage({ FAILED_AUTH_PER_MINUTE: String(MAX_FAILURES), TRUST_PROXY: '1' }));
beforeAll(async () => {
  await seed(stage.world.mongo.db);
});

const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': `6.6.6.6, ${address}` });
const statusOf = async (key: string | null, address: string): Promise<number> =>
  (await stage.get('/v1/funds', key, from(address))).status;

/** Uses up the failures of an address. */
async function fail(address: string): Promise<void> {
  const statuses = await Promise.all(Array.from({ length: MAX_FAILURES }, () => statusOf(null, address)));
  expect(new Set(statuses)).toEqual(new Set([401]));
  expect(await statusOf(null, address)).toBe(429);
}

describe('an address that fails to authenticate', () => {
  test('gets 429 after its failures, and only itself', async () => {
    await fail('7.7.7.7');
    const refused = await stage.get('/v1/funds', 'tm_live_nonsense', from('7.7.7.7'));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await statusOf(null, '8.8.8.8')).toBe(401);
  });

  test('does not lock out a good key there, neither a known one nor one that is new here', async () => {
    const [known, fresh] = [await stage.newKey(100), await stage.newKey(100)];
    expect(await statusOf(known.key, '7.7.7.8')).toBe(200);
    await fail('7.7.7.8');
    expect(await statusOf(known.key, '7.7.7.8')).toBe(200);
    expect(await statusOf(fresh.key, '7.7.7.8')).toBe(200);
  });

  test('does not lock out a new key while a neighbour tries well-formed ones as fast as it can', {
    tags: ['long'],
  }, async () => {
    await fail('7.7.7.11');
    let isOver = false;
    let tried = 0;
    const flood = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        await statusOf(makeKey().key, '7.7.7.11');
        tried += 1;
      }
    });
    await expect.poll(() => tried).toBeGreaterThan(30);
    for (let n = 0; n < 5; n += 1) {
      const fresh = await stage.newKey(100);
      expect(await statusOf(fresh.key, '7.7.7.11')).toBe(200);
    }
    isOver = true;
    await Promise.all(flood);
  });

  test('cannot try secrets of a known key id without end, and does not lock its owner out', async () => {
    const { key, keyId } = await stage.newKey(100);
    expect(await statusOf(key, '7.7.7.9')).toBe(200);
    const guesses = Array.from({ length: 60 }, () => makeKey('live', keyId).key);
    const statuses = await Promise.all(guesses.map((guess) => statusOf(guess, '7.7.7.9')));
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(await statusOf(key, '7.7.7.9')).toBe(200);
    expect(await statusOf(key, '7.7.7.10')).toBe(200);
  });

  test('cannot hide behind its own header', async () => {
    for (let tried = 0; tried < MAX_FAILURES; tried += 1) {
      await stage.get('/v1/funds', null, { 'x-forwarded-for': `1.1.1.${tried}, 9.9.9.9` });
    }
    expect((await stage.get('/v1/funds', null, { 'x-forwarded-for': '2.2.2.2, 9.9.9.9' })).status).toBe(429);
  });
});

/** What a process does without a call: it looks at Redis and at the log of credits. */
const BESIDES =
  /^(redis (info|set|get|pexpire|xrange|xrevrange|subscribe|time|hgetall|zremrangebyscore|hdel|script)|mongo find grants)$/;

test('an unknown key id and a wrong secret cost the same work and get the same answer', async () => {
  const { world } = stage;
  const client = new MongoClient(world.config.mongoUrl ?? '', { useBigInt64: true, monitorCommands: true });
  const redis = world.credits.duplicate();
  await redis.connect();
  const work: string[] = [];
  client.on('commandStarted', ({ commandName, command }) =>
    work.push(`mongo ${commandName} ${command[commandName]}`),
  );
  const sendCommand = redis.sendCommand.bind(redis);
  const { processes, log } = redisKeys(world.creditsTag);
  redis.sendCommand = (command, stream) => {
    if (!command.args.includes(processes)) work.push(`redis ${command.name}`);
    return sendCommand(command, stream);
  };
  const db = client.db(world.config.mongoDb);
  const api = await startApi({ ...world.context, db, creditsRedis: redis });
  const ask = async (key: string) => {
    work.length = 0;
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': `9.9.9.${Math.random()}` };
    const answer = await fetch(`http://127.0.0.1:${api.port}/v1/funds`, { headers });
    const { request_id: _, ...body } = (await answer.json()) as { request_id: string };
    const named = [...answer.headers.keys()].sort();
    return { status: answer.status, body, named, work: work.filter((one) => !BESIDES.test(one)) };
  };
  const { key, keyId } = await stage.newKey(100);
  expect((await ask(key)).status).toBe(200);
  // Its charge goes to the ledger meanwhile.
  const charges = () => world.mongo.db.collection('ledger').countDocuments({ kind: 'charge' });
  await expect.poll(async () => [(await charges()) > 0, await world.credits.xlen(log)]).toEqual([true, 0]);
  const unknown = await ask(makeKey().key);
  expect(unknown).toMatchObject({ status: 401, work: ['mongo find keys'] });
  expect(await ask(makeKey('live', keyId).key)).toEqual(unknown);
  // Also while the key itself is not known to the process.
  expect(await ask(makeKey('live', (await stage.newKey(1)).keyId).key)).toEqual(unknown);
  await api.close();
  redis.disconnect();
  await client.close();
});

test('every read of the API has a time limit, after which the database stops', async () => {
  const { world } = stage;
  const client = new MongoClient(world.config.mongoUrl ?? '', { useBigInt64: true, monitorCommands: true });
  const api = await startApi({ ...world.context, db: client.db(world.config.mongoDb) });
  const unlimited: string[] = [];
  const reads = new Set<string>();
  client.on('commandStarted', ({ commandName, command }) => {
    if (!['find', 'aggregate', 'count', 'distinct'].includes(commandName)) return;
    reads.add(command[commandName]);
    if (!(command['maxTimeMS'] > 0)) unlimited.push(`${commandName} ${command[commandName]}`);
  });
  const { key } = await stage.newKey(1_000);
  for (const path of [
    ...['/funds', '/funds/1067983', '/funds/1067983/holdings', '/search?q=apple', '/copy/leaderboard'],
    ...['/stocks/AAPL', '/stocks/AAPL/briefs', '/stocks/AAPL/history', '/stocks/AAPL/capital-change-brief'],
    ...['/events', '/events?since=0', '/watchlist/poll', '/insider/transactions', '/credits'],
    '/filing/0001199039-18-000010',
  ]) {
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': '3.3.3.3' };
    const answer = await fetch(`http://127.0.0.1:${api.port}/v1${path}`, { headers });
    await answer.arrayBuffer();
  }
  expect(reads.size).toBeGreaterThan(10);
  expect(unlimited).toEqual([]);
  await api.close();
  await client.close();
});
