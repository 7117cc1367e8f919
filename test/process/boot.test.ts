import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { discardHome } from '../../packages/embedded/embedded.ts';
import { openServices, type Services } from '../../packages/embedded/open.ts';
import { freePort } from '../../packages/embedded/port.ts';
import { isAlive, killProcess } from '../../packages/embedded/process.ts';
import { readState } from '../../packages/embedded/state.ts';
import { waitUntil } from '../../packages/embedded/wait.ts';
import { openQueueRedis } from '../../src/redis.ts';
import { opened } from '../opened.ts';
import { ownFolder } from '../own-folder.ts';
import { openWorld } from '../world.ts';

const TIDEMARK = fileURLToPath(new URL('../../scripts/tidemark.mjs', import.meta.url));
const CORPUS = fileURLToPath(new URL('../../demo/corpus', import.meta.url));
/** A process that cannot start ends by itself; this is only where a hanging one is given up. */
const GIVE_UP_MS = 110_000;

const world = opened(openWorld);
/** A Redis of its own that may evict. */
let evicting: Services;
const home = ownFolder('boot');
let busy: Server;
let busyPort: number;
const children: ChildProcess[] = [];

/** This world's services, but a Redis of the queues of its own. */
function withOwnQueue(folder: string) {
  const { mongoUrl, creditsRedisUrl } = world.config;
  const given = { mongoUrl, creditsRedisUrl, queueRedisUrl: undefined };
  return { ...given, home: folder, docker: 'never', engine: 'auto' } as const;
}

beforeAll(async () => {
  evicting = await openServices(withOwnQueue(home), () => undefined);
  const redis = openQueueRedis(evicting.queueRedisUrl);
  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  redis.disconnect();
  busy = createServer();
  busyPort = await listenAnywhere(busy);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  busy.close();
});

async function listenAnywhere(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

type End = { readonly code: number | null; readonly stderr: string };

function boot(command: string, more: Readonly<Record<string, string>>): Promise<End> {
  const env = { ...process.env, ...world.env, ...more };
  return new Promise((settle) => {
    const options = { env, timeout: GIVE_UP_MS, killSignal: 'SIGKILL' } as const;
    execFile(process.execPath, [TIDEMARK, command], options, (error, _, stderr) => {
      settle({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : null, stderr });
    });
  });
}

/** Each opens what it needs by the same function. */
const PIPELINE = ['work', 'schedule', 'board'];

// Side by side: most of the time goes into processes that start, and into waiting for what does not answer.

const REFUSES = '%s refuses a queue Redis that may evict, and ends with one line';
test.concurrent.each(PIPELINE)(REFUSES, { tags: ['long'] }, expectRefused);

async function expectRefused(command: string): Promise<void> {
  const end = await boot(command, { QUEUE_REDIS_URL: evicting.queueRedisUrl, BOARD_PORT: '0' });
  expect(end).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^tidemark: The Redis of the queues: [^\n]*"allkeys-lru"[^\n]*\n$/),
  });
}

const NAMES = '%s ends with one line that names an unreachable queue Redis';
test.concurrent.each(['work'])(NAMES, expectNamed);
test.concurrent.each(['schedule', 'board'])(NAMES, { tags: ['long'] }, expectNamed);

async function expectNamed(command: string): Promise<void> {
  const host = `127.0.0.1:${await freePort()}`;
  const end = await boot(command, { QUEUE_REDIS_URL: `redis://:secret@${host}/0`, BOARD_PORT: '0' });
  expect(end).toEqual({ code: 1, stderr: `tidemark: The Redis of the queues does not answer at ${host}\n` });
}

test.concurrent('serve refuses a credits Redis that may evict, and ends with one line', async () => {
  expect(await boot('serve', { CREDITS_REDIS_URL: evicting.queueRedisUrl, PORT: '0' })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^tidemark: The Redis of the credits: [^\n]*\n$/),
  });
});

test.concurrent('serve ends with one line that names an unreachable credits Redis', {
  tags: ['long'],
}, async () => {
  const host = `127.0.0.1:${await freePort()}`;
  expect(await boot('serve', { CREDITS_REDIS_URL: `redis://${host}`, PORT: '0' })).toEqual({
    code: 1,
    stderr: `tidemark: The Redis of the credits does not answer at ${host}\n`,
  });
});

test.concurrent('board ends with one line that names its busy port', { tags: ['long'] }, async () => {
  const end = await boot('board', { BOARD_PORT: String(busyPort) });
  expect(end).toEqual({
    code: 1,
    stderr: `tidemark: Port ${busyPort} is in use: set BOARD_PORT to another one.\n`,
  });
});

test.concurrent.each([['SIGINT', 130] as const, ['SIGTERM', 143] as const])(
  '%s during a replay releases the services and ends it with %i',
  { tags: ['long'] },
  async (signal, code) => {
    const own = mkdtempSync(join(tmpdir(), 'tidemark-replay-'));
    // Its own queue Redis is the service that has to stop.
    const env = { ...process.env, ...world.env, TIDEMARK_HOME: own, QUEUE_REDIS_URL: '', DOCKER: 'never' };
    const child = spawn(process.execPath, [TIDEMARK, 'replay', CORPUS], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    const ended = once(child, 'exit');
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    expect(await waitUntil(async () => said.includes('Reading filings'), GIVE_UP_MS)).toBe(true);
    child.kill(signal);
    expect(await ended).toEqual([code, null]);
    const { queue } = readState(own);
    expect(queue && isAlive(queue)).toBe(false);
    await discardHome(own);
  },
);

// A worker may wait for a job in flight up to its limit; its connections are quiet all the same (quiet.test.ts).
test.concurrent('a clock and a board that lose their Redis print nothing of ioredis and end at a stop signal', {
  tags: ['long'],
}, async () => {
  const own = mkdtempSync(join(tmpdir(), 'tidemark-lost-'));
  const services = await openServices(withOwnQueue(own), () => undefined);
  const env = {
    ...process.env,
    ...world.env,
    QUEUE_REDIS_URL: services.queueRedisUrl,
    BOARD_PORT: '0',
  };
  const processes = ['schedule', 'board'].map((command) =>
    watch(spawn(process.execPath, [TIDEMARK, command], { env })),
  );
  const up = async (): Promise<boolean> =>
    processes.every(({ said }) => / is running| listens on /.test(said()));
  expect(await waitUntil(up, GIVE_UP_MS)).toBe(true);
  const { queue } = readState(own);
  if (queue === undefined) throw new Error('no queue');
  await killProcess(queue);
  for (const { child } of processes) child.kill('SIGTERM');
  const ends = await Promise.all(processes.map(({ ended }) => ended));
  for (const { said } of processes) expect(said()).not.toMatch(/Unhandled|ECONNREFUSED|ioredis/);
  expect(ends.map(([code]) => code)).toEqual([0, 0]);
  await services.release();
  await discardHome(own);
});

function watch(child: ChildProcess) {
  let said = '';
  const keep = (chunk: Buffer): void => {
    said += chunk;
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  children.push(child);
  return { child, said: () => said, ended: once(child, 'exit') };
}
