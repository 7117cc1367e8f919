import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { MongoClient } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { announceCurrentBrief } from '../../src/credits/notices.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { startApi } from '../../src/serve.ts';
import { opened } from '../opened.ts';
import { seedBrief } from './corpus.ts';
import { openStage } from './stage.ts';

const AAPL = '/v1/stocks/AAPL/capital-change-brief';
const stage = opened(openStage);
let key = '';

beforeAll(async () => {
  await seedBrief(stage.world.mongo.db, 'AAPL', 'one');
  await seedBrief(stage.world.mongo.db, 'BRK.B', 'berkshire');
  key = (await stage.newKey(1_000_000)).key;
});

type Raw = { status: number; headers: Record<string, string>; body: string };

function raw(path: string, headers: Record<string, string>, method = 'GET'): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const asked = request(`${stage.origin}${path}`, { method, headers }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => {
        const pairs = res.rawHeaders.flatMap((name, at, all): [string, string][] =>
          at % 2 === 0 ? [[name, all[at + 1] ?? '']] : [],
        );
        resolve({
          status: res.statusCode ?? 0,
          headers: Object.fromEntries(pairs),
          body: Buffer.concat(chunks).toString('hex'),
        });
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe('the brief', () => {
  test('every spelling of a ticker gets the same bytes and entity tag', async () => {
    const texts = new Set<string>();
    for (const spelling of ['BRK.B', 'brk.b', 'BRK-B', 'brk-b', 'BRK%2FB', 'brk%2fb']) {
      const answer = await stage.get(`/v1/stocks/${spelling}/capital-change-brief`, key);
      expect(answer.status).toBe(200);
      texts.add(`${answer.headers.get('etag')} ${answer.text}`);
    }
    expect(texts.size).toBe(1);
  });

  test('has its id as a weak entity tag and may be stored by the client', async () => {
    const answer = await stage.get(AAPL, key);
    expect(answer.headers.get('etag')).toBe(`W/"${answer.body.data.brief_id}"`);
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    expect(answer.headers.get('vary')).toBe('Accept-Encoding');
  });

  test('304 is charged, has no body, and answers a list, a strong tag and a star', async () => {
    const { headers } = await stage.get(AAPL, key);
    const etag = headers.get('etag') ?? '';
    for (const condition of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const answer = await stage.get(AAPL, key, { 'if-none-match': condition });
      expect(answer.status).toBe(304);
      expect(answer.text).toBe('');
      expect(answer.headers.get('x-credits-charged')).toBe('10');
      expect(answer.headers.get('x-credits-balance')).toMatch(/^\d+$/);
    }
    expect((await stage.get(AAPL, key, { 'if-none-match': 'W/"other"' })).status).toBe(200);
  });

  test('gzip is sent only when it is accepted, with the same bytes', async () => {
    const authorization = `Bearer ${key}`;
    const plain = await raw(AAPL, { authorization });
    const zipped = await raw(AAPL, { authorization, 'accept-encoding': 'br, gzip;q=0.5' });
    expect(plain.headers['Content-Encoding']).toBeUndefined();
    expect(zipped.headers['Content-Encoding']).toBe('gzip');
    expect(gunzipSync(Buffer.from(zipped.body, 'hex')).toString('hex')).toBe(plain.body);
    const loud = await raw(AAPL, { authorization, 'accept-encoding': 'GZIP' });
    expect(loud.headers['Content-Encoding']).toBe('gzip');
    const refused = await raw(AAPL, { authorization, 'accept-encoding': 'gzip;q=0, identity' });
    expect(refused.headers['Content-Encoding']).toBeUndefined();
  });

  test('a new current brief is served as soon as it is announced', async () => {
    const { db } = stage.world.mongo;
    await seedBrief(db, 'MOVE', 'before');
    const path = '/v1/stocks/MOVE/capital-change-brief';
    const before = await stage.get(path, key);
    const briefId = await seedBrief(db, 'MOVE', 'after', 2);
    await announceCurrentBrief(stage.world.credits, stage.world.creditsTag, 'MOVE' as Ticker);
    await expect.poll(async () => (await stage.get(path, key)).body.data.brief_id).toBe(briefId);
    expect(before.body.data.brief_id).not.toBe(briefId);
  });

  test('a ticker without a brief before the first ingestion is unavailable and not charged', async () => {
    const made = await stage.newKey(100);
    const answer = await stage.get('/v1/stocks/ZZZZ/capital-change-brief', made.key);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await stage.get('/v1/credits', made.key)).body.data.balance).toBe(100);
  });
});

describe('both paths', () => {
  /** The header `Connection`-neutral way to the full path: an encoded letter means the same ticker. */
  const COLD = '/v1/stocks/%41APL/capital-change-brief';
  const VARYING = ['Date', 'X-Request-Id', 'X-Credits-Balance', 'RateLimit'];
  /** An error has the id of its request, of any length. */
  const VARYING_OF_ERROR = [...VARYING, 'Content-Length'];
  const comparable = ({ status, headers, body }: Raw): unknown => ({
    status,
    headers: Object.entries(headers).filter(
      ([name]) => !(status < 400 ? VARYING : VARYING_OF_ERROR).includes(name),
    ),
    body:
      status < 400
        ? body
        : Buffer.from(body, 'hex')
            .toString()
            .replace(/"request_id":"[^"]*"/, ''),
  });

  test('give the same answers to many shapes of request', async () => {
    const poor = await stage.newKey(10);
    await stage.get(AAPL, poor.key);
    const etag = (await stage.get(AAPL, key)).headers.get('etag') ?? '';
    const authorizations = [key, poor.key, `${key}x`, ''].map((one) =>
      one === '' ? {} : { authorization: `Bearer ${one}` },
    );
    const shapes: Record<string, string>[] = [
      {},
      { 'accept-encoding': 'gzip' },
      { 'accept-encoding': 'gzip;q=0' },
      { 'accept-encoding': 'identity, GZIP;q=1.0' },
      { 'if-none-match': etag },
      { 'if-none-match': `${etag}, "x"`, 'accept-encoding': 'gzip' },
      { 'if-none-match': 'W/"x"' },
      { 'cache-control': 'no-cache', 'if-none-match': etag },
      { connection: 'close' },
      { origin: 'https://elsewhere.test' },
      { 'x-request-id': 'the-same-id' },
      { 'x-request-id': 'bad id' },
      { 'transfer-encoding': 'chunked' },
      { accept: 'text/html' },
    ];
    for (const authorization of authorizations) {
      for (const shape of shapes) {
        const headers = { ...authorization, ...shape } as Record<string, string>;
        const hot = await raw(AAPL, headers);
        const cold = await raw(COLD, headers);
        expect(comparable(hot), JSON.stringify(shape)).toEqual(comparable(cold));
      }
    }
  });
});

describe('the warm brief', () => {
  test('costs one Redis command, shared by calls of the same moment, and no MongoDB command', async () => {
    const { world } = stage;
    const client = new MongoClient(world.config.mongoUrl ?? '', { useBigInt64: true, monitorCommands: true });
    const mongo: string[] = [];
    client.on('commandStarted', (event) => mongo.push(event.commandName));
    const redis = world.credits.duplicate();
    await redis.connect();
    const { drainer, fence, processes, openCalls } = redisKeys(world.creditsTag);
    // The lease of nobody here: the process does not drain to MongoDB.
    await world.credits.set(drainer, 'another process');
    const db = client.db(world.config.mongoDb);
    const api = await startApi({ ...world.context, db, creditsRedis: redis });
    const seen: string[] = [];
    const sendCommand = redis.sendCommand.bind(redis);
    redis.sendCommand = (command, stream) => {
      // Of the lease, of the heartbeat, and of answers that no further charge reports: at the pace of the process.
      const isOfRun = ['script', 'info'].includes(command.name);
      const isOfClock =
        isOfRun || command.args.some((arg) => arg === drainer || arg === fence || arg === processes);
      const isReport = command.name === 'hdel' && command.args[0] === openCalls;
      if (!isOfClock && !isReport) seen.push(command.name);
      return sendCommand(command, stream);
    };
    const get = (path: string) =>
      fetch(`http://127.0.0.1:${api.port}${path}`, { headers: { authorization: `Bearer ${key}` } });
    await get(AAPL);
    await get(AAPL);
    seen.length = 0;
    mongo.length = 0;
    for (let n = 0; n < 5; n += 1) expect((await get(AAPL)).status).toBe(200);
    expect(seen).toEqual(Array.from({ length: 5 }, () => 'evalsha'));
    const answers = await Promise.all(Array.from({ length: 50 }, () => get(AAPL)));
    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    expect(new Set(seen)).toEqual(new Set(['evalsha']));
    expect(seen.length).toBeLessThanOrEqual(55);
    expect(mongo).toEqual([]);
    await world.credits.del(drainer);
    await api.close();
    redis.disconnect();
    await client.close();
  });
});
