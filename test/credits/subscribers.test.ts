import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { listen } from '../../src/api/cache/listen.ts';
import { listenForFullLog } from '../../src/credits/ledger/drainer.ts';
import { openCreditsRedis } from '../../src/redis.ts';
import { proxyTo } from '../faults/harness/proxy.ts';
import { useWalletWorld, world } from './use-wallet-world.ts';

useWalletWorld();
const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
process.on('unhandledRejection', note);
afterEach(() => void process.off('unhandledRejection', note));

test('who listens at a Redis that answers late after a reconnection hears again, and ends no process', async () => {
  const proxy = await proxyTo(new URL(world.config.creditsRedisUrl ?? ''));
  const redis = openCreditsRedis(proxy.url);
  await redis.connect();
  const heard: string[] = [];
  let gaps = 0;
  const channel = `${world.creditsTag}:late`;
  const listener = await listen(redis, channel, {
    onMessage: (message) => void heard.push(message),
    onGap: () => void gaps++,
  });
  const full = listenForFullLog(redis, channel);
  const publish = (text: string) => world.credits.publish(channel, text);
  await expect.poll(() => publish('before'), { timeout: 30_000 }).toBe(2);

  let refused = 0;
  proxy.play({ dropsReply: (reply) => reply.includes('subscribe') && ++refused > 0 });
  proxy.cut();
  // A command may take a second.
  await sleep(2_000);
  expect(refused).toBeGreaterThan(1);
  proxy.play({});
  await expect.poll(() => publish('after'), { timeout: 30_000 }).toBe(2);
  await expect
    .poll(() => [heard.at(-1), full.take().at(-1)], { timeout: 30_000 })
    .toEqual(['after', 'after']);
  expect(gaps).toBeGreaterThan(1);
  expect(unhandled).toEqual([]);
  listener.close();
  full.close();
  redis.disconnect();
  proxy.close();
});
