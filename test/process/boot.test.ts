import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { discardHome } from '../../scripts/services/embedded.ts';
import { openServices, type Services } from '../../scripts/services/open.ts';
import { freePort } from '../../scripts/services/port.ts';
import { waitUntil } from '../../scripts/services/probe.ts';
import { isAlive } from '../../scripts/services/process.ts';
import { readState } from '../../scripts/services/state.ts';
import { openQueueRedis } from '../../src/redis.ts';
import { openWorld, type World } from '../world.ts';

const TIDEMARK = fileURLToPath(new URL('../../scripts/tidemark.mjs', import.meta.url));
const CORPUS = fileURLToPath(new URL('../../demo/corpus', import.meta.url));
/** A process that cannot start ends by itself; this is only where a hanging one is given up. */
const GIVE_UP_MS = 20_000;

let world: World;
/** A Redis of its own that may evict. */
let evicting: Services;
const home = mkdtempSync(join(tmpdir(), 'tidemark-boot-'));
let busy: Server;
let busyPort: number;

beforeAll(async () => {
  world = await openWorld();
  const { mongoUrl, creditsRedisUrl } = world.config;
  const settings = { home, mongoUrl, creditsRedisUrl, queueRedisUrl: undefined, docker: 'never' } as const;
  evicting = await openServices(settings, () => undefined);
  const redis = openQueueRedis(evicting.queueRedisUrl);
  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  redis.disconnect();
  busy = createServer();
  busyPort = await listenAnywhere(busy);
});
afterAll(async () => {
  busy.close();
  await discardHome(home);
  await world.close();
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
  return new Promise((settle) => {
    const env = { ...process.env, ...world.env, ...more };
    const options = { env, timeout: GIVE_UP_MS, killSignal: 'SIGKILL' } as const;
    execFile(process.execPath, [TIDEMARK, command], options, (error, _, stderr) => {
      settle({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : null, stderr });
    });
  });
}

const PIPELINE = ['schedule', 'work', 'board'];

test.each(PIPELINE)('%s refuses a queue Redis that may evict, and ends with one line', async (command) => {
  const end = await boot(command, { QUEUE_REDIS_URL: evicting.queueRedisUrl, BOARD_PORT: '0' });
  expect(end).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^tidemark: The Redis of the queues: [^\n]*"allkeys-lru"[^\n]*\n$/),
  });
});

test.each(PIPELINE)('%s ends with one line that names a queue Redis out of reach', async (command) => {
  const host = `127.0.0.1:${await freePort()}`;
  const end = await boot(command, { QUEUE_REDIS_URL: `redis://:secret@${host}/0`, BOARD_PORT: '0' });
  expect(end).toEqual({ code: 1, stderr: `tidemark: The Redis of the queues does not answer at ${host}\n` });
});

test('serve refuses a credits Redis that may evict or is out of reach, and ends with one line', async () => {
  const may = await boot('serve', { CREDITS_REDIS_URL: evicting.queueRedisUrl, PORT: '0' });
  expect(may).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^tidemark: The Redis of the credits: [^\n]*\n$/),
  });
  const host = `127.0.0.1:${await freePort()}`;
  const away = await boot('serve', { CREDITS_REDIS_URL: `redis://${host}`, PORT: '0' });
  expect(away).toEqual({
    code: 1,
    stderr: `tidemark: The Redis of the credits does not answer at ${host}\n`,
  });
});

test('board ends with one line that names its busy port', async () => {
  const end = await boot('board', { BOARD_PORT: String(busyPort) });
  expect(end).toEqual({
    code: 1,
    stderr: `tidemark: Port ${busyPort} is in use: set BOARD_PORT to another one.\n`,
  });
});

test.each([['SIGINT', 130] as const, ['SIGTERM', 143] as const])(
  '%s during a replay gives the services back and ends it with %i',
  async (signal, code) => {
    const own = mkdtempSync(join(tmpdir(), 'tidemark-replay-'));
    // Its own queue Redis is the service that has to stop.
    const env = { ...process.env, ...world.env, TIDEMARK_HOME: own, QUEUE_REDIS_URL: '', DOCKER: 'never' };
    const child = spawn(process.execPath, [TIDEMARK, 'replay', CORPUS], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'exit');
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    expect(await waitUntil(async () => said.includes('Ingesting'), GIVE_UP_MS)).toBe(true);
    child.kill(signal);
    expect(await ended).toEqual([code, null]);
    const { queue } = readState(own);
    expect(queue && isAlive(queue)).toBe(false);
    await discardHome(own);
  },
);
