import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoKey } from '../../scripts/demo/calls.ts';
import { openContext } from '../../src/context.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { type KeyStore, keyStoreOf } from '../../src/credits/account/key-record.ts';
import { type RunningApi, startApi } from '../../src/serve.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const world = opened(() => openWorld({ PORT: '0', KEY_PEPPER: '' }));
let api: RunningApi;
let close: () => Promise<void>;
let url: string;
let store: KeyStore;

beforeAll(async () => {
  const { mongoUrl = '', creditsRedisUrl = '' } = world.config;
  const context = await openContext(world.config, { mongoUrl, creditsRedisUrl }, 'test');
  close = context.close;
  api = await startApi(context);
  store = await keyStoreOf(context);
  url = `http://127.0.0.1:${api.port}`;
});
afterAll(async () => {
  await api.close();
  await close();
});

async function balanceOf(key: string): Promise<number> {
  const answer = await fetch(`${url}/v1/credits`, { headers: { Authorization: `Bearer ${key}` } });
  return ((await answer.json()) as { data: { balance: number } }).data.balance;
}

test('the demo keeps its key, adds credits when they run out, and replaces an unknown key', async () => {
  const { home } = world.config;
  mkdirSync(home, { recursive: true });
  const { key } = await createKey(store, { orgName: 'demo', credits: 5, label: '' });
  writeFileSync(join(home, 'demo-key'), `${key}\n`);
  expect(await demoKey(home, url, store)).toBe(key);
  const full = await balanceOf(key);
  expect(full).toBeGreaterThan(1_000);
  expect(await demoKey(home, url, store)).toBe(key);
  expect(await balanceOf(key)).toBe(full);

  writeFileSync(join(home, 'demo-key'), 'not-a-key\n');
  const fresh = await demoKey(home, url, store);
  expect(fresh).not.toBe(key);
  expect(readFileSync(join(home, 'demo-key'), 'utf8')).toBe(`${fresh}\n`);
  expect(await balanceOf(fresh)).toBeGreaterThan(1_000);
});
