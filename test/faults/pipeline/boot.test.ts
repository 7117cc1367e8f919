import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { afterAll, expect } from 'vitest';
import { rustEngine } from '../../../packages/embedded/engine.ts';
import { freePort } from '../../../packages/embedded/port.ts';
import { answers, urlOf } from '../../../packages/embedded/probe.ts';
import { openRuntime } from '../../../packages/embedded/venv.ts';
import { waitUntil } from '../../../packages/embedded/wait.ts';
import { requireReplicaSet } from '../../../src/mongo.ts';
import { clockProblem, connectReady, openCreditsRedis } from '../../../src/redis.ts';
import { opened } from '../../opened.ts';
import { openWorld } from '../../world.ts';
import { openChildren } from '../harness/child.ts';
import { openOwnServer } from '../harness/own-server.ts';
import { scenario } from '../harness/scenario.ts';

const DAY_MS = 86_400_000;

const world = opened(openWorld);
const children = openChildren();

afterAll(async () => {
  children.killAll();
});

/** Starts a process that must not start. */
async function refusal(command: string, settings: Readonly<Record<string, string>>) {
  const child = children.start([command], { ...world.env, PORT: '0', BOARD_PORT: '0', ...settings });
  return { code: await child.ended(), said: child.said() };
}

scenario(
  'T17',
  'a credits Redis without an append-only file is refused in one line',
  async () => {
    const redis = await openOwnServer('credits');
    const own = openCreditsRedis(redis.url);
    await own.connect();
    await own.config('SET', 'appendonly', 'no');
    own.disconnect();
    const ends = await Promise.all(
      ['serve', 'work'].map((command) => refusal(command, { CREDITS_REDIS_URL: redis.url })),
    );
    for (const end of ends) {
      expect(end).toEqual({
        code: 1,
        said: expect.stringMatching(/^tidemark: The Redis of the credits: appendonly is "no" [^\n]*\n$/),
      });
    }
    await redis.close();
  },
  { tags: ['long'] },
);

scenario('T17', 'a Redis whose memory has no end is refused in one line in production', async () => {
  const redis = await openOwnServer('credits');
  const own = openCreditsRedis(redis.url);
  await own.connect();
  await own.config('SET', 'maxmemory', '0');
  await expect(connectReady(openCreditsRedis(redis.url), 'credits', { isProduction: true })).rejects.toThrow(
    /^The Redis of the credits: maxmemory is "0", so it grows until the system kills it\./,
  );
  const bounded = await own.config('SET', 'maxmemory', '1gb').then(() => openCreditsRedis(redis.url));
  expect((await connectReady(bounded, 'credits', { isProduction: true })).status).toBe('ready');
  for (const one of [own, bounded]) one.disconnect();
  await redis.close();
});

scenario(
  'T17',
  'a standalone MongoDB and default secrets are refused in production',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-standalone-'));
    const port = await freePort();
    const rust = rustEngine();
    const [program, args] =
      rust === null ? [(await openRuntime(() => undefined)).python, ['-m', 'secantus']] : [rust, []];
    const options = ['--standalone', '--port', String(port), '--storage-path', folder];
    const server = spawn(program, [...args, ...options], { cwd: folder, stdio: 'ignore' });
    const url = urlOf('mongo', port, null);
    expect(await waitUntil(() => answers('mongo', url), 60_000)).toBe(true);
    const production = { TIDEMARK_ENV: 'production', BOARD_PASSWORD: 'a password of operators' };
    const [standalone, secrets] = await Promise.all([
      refusal('serve', { ...production, MONGO_URL: url }),
      refusal('serve', { ...production, KEY_PEPPER: '' }),
    ]);
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    expect(standalone).toEqual({
      code: 1,
      said: expect.stringMatching(/^tidemark: MongoDB is a standalone server; [^\n]*\n$/),
    });
    expect(secrets).toMatchObject({
      code: 1,
      said: expect.stringContaining('production needs KEY_PEPPER'),
    });
  },
  { tags: ['long'] },
);

scenario('T17', 'a clock that steps after the start is a problem of the process', async () => {
  const redis = await connectReady(openCreditsRedis(world.config.creditsRedisUrl ?? ''), 'credits');
  expect(await clockProblem(redis, () => new Date())).toBeNull();
  expect(await clockProblem(redis, () => new Date(Date.now() + DAY_MS))).toMatch(/are 86400 s apart;/);
  redis.disconnect();
});

scenario('T17', 'a mongos is refused', async () => {
  const mongos = { command: async () => ({ msg: 'isdbgrid' }) } as unknown as Db;
  await expect(requireReplicaSet(mongos)).rejects.toThrow(
    /sharded cluster; give the address of one replica set/,
  );
});

scenario('T17', 'a clock that is a day from that of Redis is refused in one line, either way', async () => {
  for (const apart of [DAY_MS, -DAY_MS]) {
    const redis = openCreditsRedis(world.config.creditsRedisUrl ?? '');
    await expect(connectReady(redis, 'credits', { now: () => new Date(Date.now() + apart) })).rejects.toThrow(
      /^The Redis of the credits: its clock and that of this machine are 86400 s apart;/,
    );
    await expect.poll(() => redis.status).toBe('end');
  }
});
