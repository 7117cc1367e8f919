import { Queue, Worker } from 'bullmq';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bullPrefix } from '../../jobs/worker/producer.ts';
import { openQueueRedis } from '../../src/redis.ts';
import { proxyTo } from '../faults/harness/proxy.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const world = opened(openWorld);
let proxy: Awaited<ReturnType<typeof proxyTo>>;
beforeAll(async () => {
  proxy = await proxyTo(new URL(world.env['QUEUE_REDIS_URL'] ?? ''));
});
afterAll(async () => {
  proxy.close();
});

/** Redis begins its reply to HELLO, the first command of a connection, with a map. */
const isFirstReply = (reply: Buffer): boolean => reply.toString().startsWith('%');

test('a worker whose own connection is lost before it is ready takes one job after another', async () => {
  const redis = openQueueRedis(proxy.url);
  await redis.connect();
  const prefix = bullPrefix(world.config.queuePrefix);
  const queue = new Queue('fetch', { connection: redis, prefix });
  await queue.waitUntilReady();
  let lost = 0;
  proxy.play({ dropsReply: (reply) => isFirstReply(reply) && ++lost === 1 });
  const taken: number[] = [];
  const worker = new Worker('fetch', async ({ data }) => void taken.push(data), {
    connection: redis,
    prefix,
  });
  worker.on('error', () => undefined);
  for (const n of [1, 2, 3]) await queue.add('fetch', n);
  await expect.poll(() => taken).toEqual([1, 2, 3]);
  expect(lost).toBeGreaterThan(1);
  await worker.close();
  await queue.close();
  redis.disconnect();
});
