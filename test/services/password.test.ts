import { existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { discardHome } from '../../packages/embedded/embedded.ts';
import { openServices } from '../../packages/embedded/open.ts';
import { urlOf } from '../../packages/embedded/probe.ts';
import { readState } from '../../packages/embedded/state.ts';
import { loadConfig } from '../../src/config.ts';
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
});
