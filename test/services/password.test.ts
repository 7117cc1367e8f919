import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { discardHome } from '../../src/embedded/embedded.ts';
import { type Engine, markEngine, rustEngine } from '../../src/embedded/engine.ts';
import { openServices } from '../../src/embedded/open.ts';
import { freePort } from '../../src/embedded/port.ts';
import { answers, urlOf } from '../../src/embedded/probe.ts';
import { isAlive, markOf } from '../../src/embedded/process.ts';
import { type Running, readState, writeState } from '../../src/embedded/state.ts';
import { openRuntime } from '../../src/embedded/venv.ts';
import { waitUntil } from '../../src/embedded/wait.ts';
import { openMongo } from '../../src/mongo.ts';
import { openCreditsRedis } from '../../src/redis.ts';

const quiet = (): void => undefined;
const homes: string[] = [];

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-password-'));
  homes.push(home);
  return home;
}

function open(home: string) {
  const given = { mongoUrl: undefined, creditsRedisUrl: undefined, queueRedisUrl: 'redis://elsewhere' };
  return openServices({ ...given, home, docker: 'never', engine: loadConfig().engine }, quiet);
}

afterAll(async () => {
  await Promise.all(homes.map(discardHome));
});

describe.concurrent('the embedded services', () => {
  test('refuse another user of the machine, who can read neither the password nor the arguments', async () => {
    const home = newHome();
    const services = await open(home);
    const { mongo, credits } = readState(home);
    if (mongo === undefined || credits === undefined) throw new Error('not started');
    const noRedis = openCreditsRedis(urlOf('credits', credits.port, null));
    await expect(noRedis.connect().then(() => noRedis.hset('{cr}:o:x', 'bal', 1_000_000))).rejects.toThrow();
    noRedis.disconnect();
    const noMongo = await openMongo(urlOf('mongo', mongo.port, null), 'tidemark');
    await expect(noMongo.db.collection('settings').findOne({})).rejects.toMatchObject({ code: 13 });
    const another = { createUser: 'another', pwd: 'secret', roles: ['root'] };
    await expect(noMongo.client.db('admin').command(another)).rejects.toMatchObject({ code: 13 });
    await noMongo.client.close();

    expect(statSync(join(home, 'password')).mode & 0o777).toBe(0o600);
    const password = readFileSync(join(home, 'password'), 'utf8').trim();
    expect(new URL(services.creditsRedisUrl).password).toBe(password);
    if (existsSync('/proc/self/cmdline')) {
      for (const { pid } of [mongo, credits]) {
        expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(password);
      }
    }
    await services.release();
  });

  test('of a release without passwords are stopped, and start on their data with one', {
    tags: ['long'],
  }, async () => {
    const home = newHome();
    const before = await startWithoutPassword(home);
    const services = await open(home);
    for (const running of [before.mongo, before.credits]) expect(isAlive(running)).toBe(false);
    const mongo = await openMongo(services.mongoUrl, 'kept');
    expect(await mongo.db.collection('things').countDocuments()).toBe(1);
    await mongo.client.close();
    const redis = openCreditsRedis(services.creditsRedisUrl);
    await redis.connect();
    expect(await redis.get('balance')).toBe('37');
    redis.disconnect();
    await services.release();
  });
});

/** Services as releases before this one started them, with data, left running by a crash. */
async function startWithoutPassword(home: string): Promise<{ mongo: Running; credits: Running }> {
  const { python, redisServer } = await openRuntime(quiet);
  const rust = loadConfig().engine === 'python' ? null : rustEngine();
  const engine: Engine = rust === null ? 'python' : 'rust';
  const store = [
    '--host',
    '127.0.0.1',
    '--storage-path',
    join(home, 'mongo'),
    '--config',
    join(home, 'x.toml'),
  ];
  writeFileSync(join(home, 'x.toml'), '');
  mkdirSync(join(home, 'credits'));
  markEngine(home, engine);
  const mongo = await start(rust ?? python, rust === null ? ['-m', 'secantus', ...store] : store);
  const credits = await start(redisServer, [
    '--bind',
    '127.0.0.1',
    '--dir',
    join(home, 'credits'),
    '--appendonly',
    'yes',
  ]);
  writeState(home, { kind: 'embedded', mongo, credits });
  const [mongoUrl, creditsUrl] = [urlOf('mongo', mongo.port, null), urlOf('credits', credits.port, null)];
  const answering = async () => (await answers('mongo', mongoUrl)) && (await answers('credits', creditsUrl));
  expect(await waitUntil(answering, 60_000)).toBe(true);
  const { client, db } = await openMongo(mongoUrl, 'kept');
  await db.collection<{ _id: string }>('things').insertOne({ _id: 'one' });
  await client.close();
  const redis = openCreditsRedis(creditsUrl);
  await redis.connect();
  await redis.set('balance', '37');
  redis.disconnect();
  return { mongo, credits };
}

async function start(program: string, args: readonly string[]): Promise<Running> {
  const port = await freePort();
  const child = spawn(program, [...args, '--port', String(port)], { detached: true, stdio: 'ignore' });
  const mark = markOf(child.pid ?? 0);
  if (mark === null) throw new Error(`${program} did not start`);
  return { ...mark, port };
}
