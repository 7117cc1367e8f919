import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { openMongo } from '../../src/mongo.ts';
import { startApi } from '../../src/serve.ts';
import { opened } from '../opened.ts';
import { chargeOnce } from './charge-once.ts';
import { seed, seedBrief } from './corpus.ts';
import { relayTo } from './relay.ts';
import { openStage } from './stage.ts';

const MOST = 20;

const stage = opened(() => openStage({ MAX_IN_FLIGHT: String(MOST), RATE_LIMIT_PER_SECOND: '0' }));
beforeAll(async () => {
  await seed(stage.world.mongo.db);
  await seedBrief(stage.world.mongo.db, 'AAPL', 'x');
});

async function dial(port = Number(new URL(stage.origin).port)): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

const healthy = async (): Promise<boolean> => {
  const { key } = await stage.newKey(1_000);
  const answers = await Promise.all(Array.from({ length: MOST - 2 }, () => stage.get('/v1/credits', key)));
  return answers.every(({ status }) => status === 200);
};

test('answers that wait in a pipeline when it is reset free their places', async () => {
  const { world } = stage;
  const relay = await relayTo(new URL(world.config.mongoUrl ?? ''));
  const mongo = await openMongo(relay.url, world.config.mongoDb);
  const api = await startApi({ ...world.context, db: mongo.db });
  const { key } = await stage.newKey(1_000);
  const headers = { authorization: `Bearer ${key}` };
  const ask = async (path: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${api.port}${path}`, { headers })).status;
  expect(await ask('/v1/funds')).toBe(200);
  relay.hang();
  // Nobody has asked for it, so it is in no memory.
  const slow = `GET /v1/funds?limit=7 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const sockets = await Promise.all(Array.from({ length: 4 }, () => dial(api.port)));
  for (const socket of sockets) socket.write(slow.repeat(MOST / 4));
  await expect.poll(() => ask('/v1/nothing')).toBe(503);
  for (const socket of sockets) socket.resetAndDestroy();
  // All of them: one place less, and one of so many at once would be refused. At once: the answers
  // themselves end only when their time is up.
  const all = () => Promise.all(Array.from({ length: MOST }, () => ask('/v1/nothing')));
  await expect.poll(all, { timeout: 2_000 }).toEqual(Array.from({ length: MOST }, () => 404));
  relay.cut();
  await api.close();
  await mongo.client.close();
});

test('slow bodies cost only sockets, and are limited per client', async () => {
  const sockets = await Promise.all(Array.from({ length: 130 }, () => dial()));
  const heads: string[] = [];
  for (const socket of sockets) {
    socket.on('data', (chunk: Buffer) => heads.push(chunk.toString('latin1').split('\r\n', 1)[0] ?? ''));
    socket.write(
      'POST /connect/sign-in HTTP/1.1\r\nHost: tidemark.test\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 6000\r\n\r\na',
    );
  }
  await expect.poll(() => heads.length).toBe(30);
  expect(heads.every((head) => head.startsWith('HTTP/1.1 429'))).toBe(true);
  expect(await healthy()).toBe(true);
  for (const socket of sockets) socket.destroy();
  const { key } = await stage.newKey(10);
  const call = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const ping = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${stage.origin}/mcp`, {
      method: 'POST',
      headers,
      body: JSON.stringify(call),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  // The site's name is another one, so that the Host is refused: after the body was let in.
  await expect.poll(ping).toBe(403);
});

test('a charge whose second try is refused is voided', async () => {
  const { balance, kind } = await chargeOnce(stage, `k${randomBytes(3).toString('hex')}`);
  expect(kind).toBe('unauthorized');
  await expect.poll(balance).toBe(100);
});
