import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openServices } from '../packages/embedded/open.ts';
import type { ServiceName } from '../packages/embedded/probe.ts';
import { readState } from '../packages/embedded/state.ts';
import { openQueueRedis, redisSetting } from '../src/redis.ts';
import { ownFolder } from './own-folder.ts';
import { watchHome } from './stall-watch.ts';

const home = ownFolder('probe');
const reports: string[] = [];
let end: () => Promise<void>;
let queue: Redis;
beforeAll(async () => {
  const none = { mongoUrl: undefined, creditsRedisUrl: undefined, queueRedisUrl: undefined };
  const settings = { ...none, home, docker: 'never', engine: 'python' } as const;
  const { release: _release, ...urls } = await openServices(settings, () => undefined);
  queue = openQueueRedis(urls.queueRedisUrl);
  end = watchHome(home, urls, { limitMs: 1_000, report: (line) => reports.push(line) });
});
afterAll(async () => {
  for (const name of STOPPED) send(name, 'SIGCONT');
  await end();
  queue.disconnect();
});

const STOPPED = ['mongo', 'queue'] as const;
const send = (name: ServiceName, signal: NodeJS.Signals) =>
  process.kill(readState(home)[name]?.pid ?? 0, signal);
const log = (name: string) => readFileSync(join(home, 'logs', `${name}.log`), 'utf8');

test('a service that does not answer is named, with what it says of itself when it answers again', async () => {
  await expect.poll(() => redisSetting(queue, 'watchdog-period')).toBe('1000');
  for (const name of STOPPED) send(name, 'SIGSTOP');
  for (const name of STOPPED) await expect.poll(() => reports.join('\n')).toContain(`${name} of ${home}`);
  expect(log('stalls').match(/^State:\tT \(stopped\)$/gm)).toHaveLength(2);
  for (const name of STOPPED) send(name, 'SIGCONT');
  await expect.poll(() => log('stalls')).toContain('cmd=client|list');
  expect(log('stalls')).toContain('aof_delayed_fsync:');
  await expect.poll(() => log('queue')).toContain('WATCHDOG TIMER EXPIRED');
  await expect.poll(() => log('mongo')).toContain('(most recent call first)');
  expect(reports.join('\n')).not.toContain('credits');
});

test('a service that has ended is named as such', async () => {
  send('credits', 'SIGKILL');
  await expect.poll(() => log('stalls')).toContain('its process has ended');
});
