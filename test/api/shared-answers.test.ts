import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { jsonReply } from '../../src/api/http/reply.ts';
import { answerHot } from '../../src/api/metering/hot-path.ts';
import { closeApi, openApi } from '../../src/api/open.ts';
import { digestOf } from '../../src/credits/account/key.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { startApi } from '../../src/serve.ts';
import { PEPPER } from '../world.ts';
import { FUND, seed } from './corpus.ts';
import { openStage, type Stage } from './stage.ts';

/** Each address in three parts, of which the middle one may be encoded. */
const ADDRESSES = [
  ['/v1/funds?', 'limit=2&page', '=1'],
  ['/v1/funds/', FUND, ''],
  ['/v1/funds/', FUND, '/holdings'],
  ['/v1/search?q=', 'berkshire', ''],
] as const;
/** Of one call, or of the balance. */
const VARYING = ['date', 'x-request-id', 'x-credits-balance', 'ratelimit'];
/** An error has the id of its request, of any length. */
const VARYING_OF_ERROR = [...VARYING, 'content-length'];

let stage: Stage;
let key = '';

beforeAll(async () => {
  stage = await openStage();
  await seed(stage.world.mongo.db);
  key = (await stage.newKey(1_000_000)).key;
});
afterAll(() => stage.close());

let spellings = 0;

/** Means the same, and was never asked for: the next number says which characters are encoded. */
function newSpelling([start, middle, end]: (typeof ADDRESSES)[number]): string {
  spellings += 1;
  const encoded = [...middle].map((char, at) =>
    (spellings >> at) % 2 === 1 && /\w/.test(char) ? `%${char.charCodeAt(0).toString(16)}` : char,
  );
  return `${start}${encoded.join('')}${end}`;
}

async function ask(path: string, token: string | null, headers: Record<string, string>) {
  const { status, headers: given, text } = await stage.raw(path, token, headers);
  const varying = status < 400 ? VARYING : VARYING_OF_ERROR;
  const stable = [...given].filter(([name]) => !varying.includes(name));
  return { status, headers: stable, text: text.replace(/"request_id":"[^"]*"/, '') };
}

test('an answer from memory equals the one that is read, for every shape of request', async () => {
  const poor = await stage.newKey(0);
  const shapes: Record<string, string>[] = [
    {},
    { 'accept-encoding': 'gzip' },
    { 'accept-encoding': 'gzip;q=0' },
    { 'if-none-match': '*' },
    { accept: 'text/csv' },
    { accept: 'text/html' },
    { connection: 'close' },
    { 'idempotency-key': '' },
    { 'x-request-id': 'bad id' },
  ];
  for (const address of ADDRESSES) {
    const path = address.join('');
    for (const token of [key, poor.key, `${key}x`, null]) {
      for (const shape of shapes) {
        await stage.raw(path, key);
        const warm = await ask(path, token, shape);
        const read = await ask(newSpelling(address), token, shape);
        expect(warm, `${path} ${JSON.stringify(shape)}`).toEqual(read);
      }
    }
  }
});

test('costs no MongoDB command, and is charged each time', async () => {
  const { world } = stage;
  const client = new MongoClient(world.config.mongoUrl ?? '', { useBigInt64: true, monitorCommands: true });
  const mongo: string[] = [];
  client.on('commandStarted', (event) => mongo.push(event.commandName));
  const { drainer } = redisKeys(world.creditsTag);
  // The lease of nobody here: the process does not drain to MongoDB.
  await world.credits.set(drainer, 'another process');
  const api = await startApi({ ...world.context, db: client.db(world.config.mongoDb) });
  const { key: fresh } = await stage.newKey(1_000);
  const get = (path: string) =>
    fetch(`http://127.0.0.1:${api.port}${path}`, { headers: { authorization: `Bearer ${fresh}` } });
  await get('/v1/funds');
  const wasRead = (): Promise<boolean> =>
    get('/v1/funds').then(async (answer) => {
      await answer.arrayBuffer();
      mongo.length = 0;
      const again = await Promise.all(Array.from({ length: 10 }, () => get('/v1/funds')));
      return again.every(({ status }) => status === 200) && mongo.length === 0;
    });
  // A busy machine may need more than a second for these calls: then they are read again.
  await expect.poll(wasRead).toBe(true);
  const before = Number((await get('/v1/funds')).headers.get('x-credits-balance'));
  expect(Number((await get('/v1/funds')).headers.get('x-credits-balance'))).toBe(before - 1);
  await world.credits.del(drainer);
  await api.close();
  await client.close();
});

test('what changed is seen within seconds', async () => {
  const { db } = stage.world.mongo;
  const first = async () => (await stage.get('/v1/funds?limit=1', key)).body.data[0].name;
  const before = await first();
  await db.collection('funds').updateOne({ name: before }, { $set: { name: 'RENAMED LP' } });
  await expect.poll(first).toBe('RENAMED LP');
});

test('only a call with a known key takes the turn to read an old answer again', async () => {
  const { key: known, keyId } = await stage.newKey(100);
  const api = await openApi(stage.world.context);
  await api.accounts.find({ keyId, digest: digestOf(known, PEPPER) });
  const request = (token: string | null): IncomingMessage =>
    Object.assign(new IncomingMessage(new Socket()), {
      method: 'GET',
      url: '/v1/funds',
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
    });
  const hasTurn = (token: string | null): boolean => {
    const req = request(token);
    expect(answerHot(api, req, new ServerResponse(req), () => undefined)).toBe(false);
    return api.sharedAnswers.peek(request(known))?.mayRenew === false;
  };
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const endpoint = { name: 'fund.list', path: '/funds', credits: 1 };
    api.sharedAnswers.keep(request(known), {
      endpoint,
      reply: jsonReply(200, {}),
      readAt: performance.now(),
    });
    vi.advanceTimersByTime(1_000);
    expect([null, `${known}x`, known].map(hasTurn)).toEqual([false, false, true]);
  } finally {
    vi.useRealTimers();
  }
  await closeApi(api);
});
