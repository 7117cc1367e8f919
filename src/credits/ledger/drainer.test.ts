import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { listenForFullLog } from './drainer.ts';

/** How much a signal keeps of what waits for it; Node has no other way to ask. */
function keptBy(signal: AbortSignal): number {
  const kept = Object.getOwnPropertySymbols(signal).map((name) => Reflect.get(signal, name));
  return kept.reduce((sum, one) => sum + (Number(one?.size) || 0), 0);
}

test('a wait leaves nothing at the signal that ends it, which lives as long as the process', async () => {
  const redis = new Redis({ port: 1, lazyConnect: true, retryStrategy: () => null });
  const full = listenForFullLog(redis, 'full');
  const stopping = new AbortController();
  await full.wait(0, stopping.signal);
  const before = keptBy(stopping.signal);
  for (let n = 0; n < 20; n += 1) await full.wait(0, stopping.signal);
  expect(keptBy(stopping.signal)).toBe(before);
  const endless = full.wait(2 ** 30, stopping.signal);
  stopping.abort();
  await endless;
  await full.wait(2 ** 30, stopping.signal);
  full.close();
  redis.disconnect();
});
