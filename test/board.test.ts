import { once } from 'node:events';
import { connect } from 'node:net';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Board, startBoard } from '../dashboards/board.ts';
import { bullPrefix, openProducer } from '../jobs/worker/producer.ts';
import { QUEUES } from '../queues/index.ts';
import { opened } from './opened.ts';
import { openWorld } from './world.ts';

const world = opened(() => openWorld({ BOARD_PORT: '0' }));
let board: Board;
let url: string;
let authorization: string;

beforeAll(async () => {
  board = await startBoard(world.context, world.config.queueRedisUrl ?? '', {
    writable: false,
    password: 'correct horse battery',
  });
  url = `http://127.0.0.1:${board.port}`;
  authorization = `Basic ${Buffer.from('operator:correct horse battery').toString('base64')}`;
});
afterAll(async () => {
  await board.close();
});

it('nothing is shown without the operator password', async () => {
  const wrong = `Basic ${Buffer.from('operator:wrong').toString('base64')}`;
  for (const path of ['/', '/api/queues', '/static/css/main.css']) {
    expect((await fetch(`${url}${path}`)).status).toBe(401);
    expect((await fetch(`${url}${path}`, { headers: { authorization: wrong } })).status).toBe(401);
  }
});

it('a password is guessed ten times a minute at most, and the right one is not looked at then', async () => {
  const strict = await startBoard(world.context, world.config.queueRedisUrl ?? '', {
    writable: false,
    password: 'correct horse battery',
  });
  const ask = async (given: string) =>
    (await fetch(`http://127.0.0.1:${strict.port}/`, { headers: { authorization: given } })).status;
  const wrong = `Basic ${Buffer.from('operator:wrong').toString('base64')}`;
  const seen = [];
  for (let at = 0; at < 11; at += 1) seen.push(await ask(wrong));
  expect(seen).toEqual([...Array<number>(10).fill(401), 429]);
  expect(await ask(authorization)).toBe(429);
  await strict.close();
});

it('guesses that arrive together count as if they came one after the other', async () => {
  const strict = await startBoard(world.context, world.config.queueRedisUrl ?? '', {
    writable: false,
    password: 'correct horse battery',
  });
  const wrong = { authorization: `Basic ${Buffer.from('operator:wrong').toString('base64')}` };
  const socket = connect(strict.port, '127.0.0.1');
  const head = `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${wrong.authorization}\r\n`;
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(`${`${head}\r\n`.repeat(29)}${head}Connection: close\r\n\r\n`);
  await once(socket, 'close');
  const seen = text.match(/HTTP\/1\.1 \d+/g) ?? [];
  expect(seen.filter((line) => line.endsWith('401'))).toHaveLength(10);
  expect(seen.filter((line) => line.endsWith('429'))).toHaveLength(20);
  await strict.close();
});

it('every queue is listed with its description', async () => {
  const answer = await fetch(`${url}/api/queues`, { headers: { authorization } });
  expect(answer.status).toBe(200);
  const { queues } = (await answer.json()) as { queues: { name: string; description?: string }[] };
  expect(queues.map((queue) => queue.name).sort()).toEqual(Object.keys(QUEUES).sort());
  for (const queue of queues) {
    const { about } = QUEUES[queue.name as keyof typeof QUEUES];
    expect(queue.description).toMatch(/Empty .*by design/);
    expect(queue.description?.startsWith(about)).toBe(true);
  }
});

it('the page loads nothing from elsewhere, and asks for nothing', async () => {
  const answer = await fetch(url, { headers: { authorization } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'self'");
  expect(answer.headers.get('x-powered-by')).toBeNull();
  const page = await answer.text();
  expect(page).toContain('<title>Tidemark</title>');
  expect(page).not.toContain('https:');
});

it('read-only is kept by the server: a queue can be neither paused nor emptied, a foreign page writes nothing', async () => {
  const producer = openProducer(world.queue, world.config.queuePrefix);
  await producer.enqueue(QUEUES.sequence, { slot: 1 });
  const write = (path: string, headers: Record<string, string>) =>
    fetch(`${url}/api/queues/sequence${path}`, { method: 'PUT', headers: { authorization, ...headers } });
  expect((await write('/pause', {})).status).toBeGreaterThanOrEqual(400);
  expect((await write('/empty', {})).status).toBeGreaterThanOrEqual(400);
  expect((await write('/pause', { origin: 'https://evil.example' })).status).toBe(401);
  const queue = new Queue('sequence', {
    connection: world.queue,
    prefix: bullPrefix(world.config.queuePrefix),
  });
  expect(await queue.isPaused()).toBe(false);
  expect(await queue.getWaitingCount()).toBe(1);
  await queue.close();
  await producer.close();
});
