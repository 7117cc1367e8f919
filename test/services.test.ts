import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { discardHome } from '../packages/embedded/embedded.ts';
import { openServices, type ServiceSettings, type Services } from '../packages/embedded/open.ts';
import { answers } from '../packages/embedded/probe.ts';
import { isAlive } from '../packages/embedded/process.ts';
import { readState, writeState } from '../packages/embedded/state.ts';
import { waitUntil } from '../packages/embedded/wait.ts';
import { loadConfig } from '../src/config.ts';
import { openMongo, requireReplicaSet } from '../src/mongo.ts';
import { openCreditsRedis } from '../src/redis.ts';

const HOLD = fileURLToPath(new URL('./services/hold.ts', import.meta.url));
const quiet = (): void => undefined;
const homes: string[] = [];
const children: ChildProcess[] = [];

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-home-'));
  homes.push(home);
  return home;
}

function settingsOf(home: string, more: Partial<ServiceSettings> = {}): ServiceSettings {
  return {
    home,
    mongoUrl: undefined,
    creditsRedisUrl: undefined,
    queueRedisUrl: undefined,
    docker: 'never',
    engine: loadConfig().engine,
    ...more,
  };
}

/** Another process that uses the same home. Resolves once it has its services. */
async function holder(home: string): Promise<{ readonly child: ChildProcess; readonly mongoUrl: string }> {
  const env = { ...process.env, TIDEMARK_HOME: home, DOCKER: 'never' };
  const child = spawn(
    process.execPath,
    ['--import', new URL('../src/typescript.mjs', import.meta.url).href, HOLD],
    {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, mongoUrl: (JSON.parse(line) as Services).mongoUrl };
  }
  throw new Error('the holder ended without its services');
}

async function ended(child: ChildProcess): Promise<void> {
  await waitUntil(async () => child.exitCode !== null || child.signalCode !== null, 60_000);
}

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(homes.map(discardHome));
});

describe('the resolver', () => {
  test('takes explicit URLs as they are and starts nothing', async () => {
    const home = newHome();
    const given = { mongoUrl: 'mongodb://db', creditsRedisUrl: 'redis://a', queueRedisUrl: 'redis://b' };
    const services = await openServices(settingsOf(home, given), quiet);
    expect(services).toMatchObject({ ...given, kind: 'explicit' });
    await services.release();
    expect(readdirSync(home)).toEqual([]);
  });

  test('fills only the URLs that were not given', async () => {
    const home = newHome();
    const services = await openServices(
      settingsOf(home, { mongoUrl: 'mongodb://db', queueRedisUrl: 'redis://b' }),
      quiet,
    );
    expect(services.mongoUrl).toBe('mongodb://db');
    expect(await answers('credits', services.creditsRedisUrl)).toBe(true);
    expect(Object.keys(readState(home)).sort()).toEqual(['credits', 'kind']);
    await services.release();
    expect(await answers('credits', services.creditsRedisUrl)).toBe(false);
  });
});

describe('a home', () => {
  test('that began on Docker does not become embedded and empty when Docker is not there', async () => {
    const home = newHome();
    writeState(home, { kind: 'docker' });
    await expect(openServices(settingsOf(home), quiet)).rejects.toThrow(
      `The data of ${home} is in Docker, and DOCKER=never.`,
    );
    vi.stubEnv('PATH', '');
    await expect(openServices(settingsOf(home, { docker: 'auto' }), quiet)).rejects.toThrow(
      `The data of ${home} is in Docker, and docker is not on PATH.`,
    );
    vi.unstubAllEnvs();
    expect(readState(home)).toEqual({ kind: 'docker' });
  });

  test('is readable by its user alone', async () => {
    const home = join(newHome(), 'made');
    const given = { mongoUrl: 'mongodb://db', creditsRedisUrl: 'redis://a' };
    const services = await openServices(settingsOf(home, given), quiet);
    const modes = ['', 'logs', 'leases', 'queue'].map((name) => statSync(join(home, name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o700]);
    await services.release();
    await discardHome(home);
  });
});

// Side by side: each has a home of its own, and most of the time goes into services that start.
describe.concurrent('the embedded pair', () => {
  test('keeps data from one start to the next and stops with its last user', async () => {
    const home = newHome();
    const first = await openServices(settingsOf(home), quiet);
    const mongo = await openMongo(first.mongoUrl, 'kept');
    await mongo.db.collection<{ _id: string }>('things').insertOne({ _id: 'one' });
    await mongo.client.close();
    const redis = openCreditsRedis(first.creditsRedisUrl);
    await redis.connect();
    await redis.set('balance', '37');
    redis.disconnect();
    const second = await openServices(settingsOf(home), quiet);
    await first.release();
    expect(await answers('mongo', second.mongoUrl)).toBe(true);
    await second.release();
    const { mongo: mongoMark, credits, queue } = readState(home);
    for (const mark of [mongoMark, credits, queue]) expect(mark && isAlive(mark)).toBe(false);

    const third = await openServices(settingsOf(home), quiet);
    expect(await readBack(third)).toEqual({ things: 1, balance: '37' });
    await third.release();
  });

  test('keeps no oplog on the Python engine, whose writers would wait for each other in it', {
    tags: ['long'],
  }, async () => {
    const settings = settingsOf(newHome(), { engine: 'python' });
    const services = await openServices(settings, quiet);
    const { client, db } = await openMongo(services.mongoUrl, 'test', { retryWrites: false });
    const oplog = client.db('local').collection('oplog.rs');
    const before = await oplog.countDocuments();
    await db.collection<{ _id: number }>('kept').insertMany([{ _id: 1 }, { _id: 2 }]);
    await db.collection<{ _id: number }>('kept').updateOne({ _id: 1 }, { $set: { changed: true } });
    expect(await oplog.countDocuments()).toBe(before);
    // It still is a replica set of one, which production asks for.
    await requireReplicaSet(db);
    await client.close();
    await services.release();
  });

  test('outlives one of two processes, and a process that died without a word holds nothing', {
    tags: ['long'],
  }, async () => {
    const home = newHome();
    const [one, other] = await Promise.all([holder(home), holder(home)]);
    expect(one.mongoUrl).toBe(other.mongoUrl);
    one.child.kill('SIGKILL');
    await ended(one.child);
    expect(await answers('mongo', other.mongoUrl)).toBe(true);
    other.child.stdin?.write('leave\n');
    await ended(other.child);
    expect(await answers('mongo', other.mongoUrl)).toBe(false);
  });

  test('is used again when a crash left it running', { tags: ['long'] }, async () => {
    const home = newHome();
    const crashed = await holder(home);
    crashed.child.kill('SIGKILL');
    await ended(crashed.child);
    const lines: string[] = [];
    const services = await openServices(settingsOf(home), (line) => lines.push(line));
    expect(services.mongoUrl).toBe(crashed.mongoUrl);
    expect(lines).toEqual([]);
    await services.release();
    expect(await answers('mongo', services.mongoUrl)).toBe(false);
  });

  test('starts a killed service again on its data and its port, beside those that still run', {
    tags: ['long'],
  }, async () => {
    const home = newHome();
    const before = await openServices(settingsOf(home), quiet);
    const mongo = await openMongo(before.mongoUrl, 'kept');
    await mongo.db.collection<{ _id: number }>('things').insertOne({ _id: 1 });
    const state = readState(home);
    process.kill(state.mongo?.pid ?? 0, 'SIGKILL');
    await waitUntil(async () => !(await answers('mongo', before.mongoUrl)), 60_000);
    const after = await openServices(settingsOf(home), quiet);
    expect(after).toMatchObject({ mongoUrl: before.mongoUrl, creditsRedisUrl: before.creditsRedisUrl });
    expect(readState(home).credits).toEqual(state.credits);
    // The connection of before finds the service again.
    expect(await mongo.db.collection('things').countDocuments()).toBe(1);
    await mongo.client.close();
    await before.release();
    await after.release();
  });

  test('runs for two homes side by side', { tags: ['long'] }, async () => {
    const [one, other] = await Promise.all(
      [newHome(), newHome()].map((home) => openServices(settingsOf(home), quiet)),
    );
    const urls = [one, other].flatMap((s) => [s?.mongoUrl, s?.creditsRedisUrl, s?.queueRedisUrl]);
    expect(new Set(urls).size).toBe(6);
    await one?.release();
    expect(await answers('mongo', other?.mongoUrl ?? '')).toBe(true);
    await other?.release();
  });

  // /proc tells which addresses are bound; other systems have no such file.
  test.runIf(existsSync('/proc/net/tcp'))('listens on the loopback address only', async () => {
    const home = newHome();
    const services = await openServices(settingsOf(home), quiet);
    const ports = [services.mongoUrl, services.creditsRedisUrl, services.queueRedisUrl].map((url) =>
      Number(/:(\d+)\//.exec(url)?.[1])
        .toString(16)
        .toUpperCase()
        .padStart(4, '0'),
    );
    const listening = readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/));
    for (const port of ports) {
      const addresses = listening
        .filter(([, local]) => local?.endsWith(`:${port}`))
        .map(([, local]) => local);
      expect(new Set(addresses)).toEqual(new Set([`0100007F:${port}`]));
    }
    await services.release();
  });
});

async function readBack(services: Services): Promise<{ things: number; balance: string | null }> {
  const mongo = await openMongo(services.mongoUrl, 'kept');
  const things = await mongo.db.collection('things').countDocuments();
  await mongo.client.close();
  const redis = openCreditsRedis(services.creditsRedisUrl);
  await redis.connect();
  const balance = await redis.get('balance');
  redis.disconnect();
  return { things, balance };
}
