import { connect, type Socket } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { opened } from '../opened.ts';
import { seed } from './corpus.ts';
import { openStage } from './stage.ts';

const PLACES = 20;
const OF_ADDRESS = 8;

const stage = opened(() =>
  openStage({
    MAX_IN_FLIGHT: String(PLACES),
    MAX_CONNECTIONS_PER_ADDRESS: String(OF_ADDRESS),
    RATE_LIMIT_PER_SECOND: '1',
    RATE_LIMIT_BURST: '50',
  }),
);
beforeAll(async () => {
  await seed(stage.world.mongo.db);
});

async function dial(): Promise<Socket> {
  const socket = connect(Number(new URL(stage.origin).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

const requests = (count: number, path: string, key = 'none'): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`.repeat(count);

/** Every place of the process is free: so many calls at once are all answered. */
const allFree = async (): Promise<boolean> => {
  const { key } = await stage.newKey(1_000);
  const answers = await Promise.all(Array.from({ length: PLACES - 1 }, () => stage.get('/v1/credits', key)));
  return answers.every(({ status }) => status === 200);
};

test('one connection that asks 1,400 times and does not read takes nobody a place', async () => {
  const socket = await dial();
  socket.pause();
  await new Promise((resolve) => socket.write(requests(1_400, '/openapi.json'), resolve));
  for (let round = 0; round < 3; round += 1) await expect.poll(allFree).toBe(true);
  socket.destroy();
});

test('of a pipeline each call counts against the rate of its key, and all are answered in order', async () => {
  const { key } = await stage.newKey(1_000);
  const socket = await dial();
  let heard = '';
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString('latin1');
  });
  socket.write(requests(1_000, '/v1/credits', key) + requests(1, '/v1/nothing'));
  const statuses = (): string[] => [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
  await expect.poll(() => statuses().length).toBe(1_001);
  const passed = statuses().filter((status) => status === '200').length;
  expect(passed).toBeGreaterThanOrEqual(50);
  expect(statuses().filter((status) => status === '429').length).toBe(1_000 - passed);
  expect(statuses().at(-1)).toBe('404');
  socket.destroy();
});

test('an address with too many silent connections loses the oldest for each new one, and is served', async () => {
  const silent = await Promise.all(Array.from({ length: OF_ADDRESS * 4 }, dial));
  const isClosed = (socket: Socket | undefined): boolean => socket?.closed === true;
  for (const socket of silent) socket.resume();
  expect(silent.some(isClosed)).toBe(false);
  await expect
    .poll(async () => {
      silent.push(await dial());
      return isClosed(silent[0]);
    })
    .toBe(true);
  expect(await allFree()).toBe(true);
  for (const socket of silent) socket.destroy();
});
