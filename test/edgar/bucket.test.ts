import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEdgarBucket } from '../../src/edgar/client/bucket.ts';
import { openEdgarClient } from '../../src/edgar/client/open.ts';
import { openCreditsRedis, openQueueRedis } from '../../src/redis.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { type ScriptedServer, scriptedServer } from './scripted-server.ts';

const FEED = { type: '4', start: 0, count: 100 } as const;
const THRESHOLD = '<!DOCTYPE html><html><title>SEC.gov | Request Rate Threshold Exceeded</title></html>';

const world = opened(openWorld);
let server: ScriptedServer;
const connections: Redis[] = [];

/** A client as another process has it: its own Redis connection and its own queue. */
function process(prefix: string, requestsPerSecond: number) {
  const redis = openQueueRedis(world.env['QUEUE_REDIS_URL'] ?? '');
  connections.push(redis);
  const bucket = openEdgarBucket({
    redis,
    prefix: `${world.config.queuePrefix}-${prefix}`,
    requestsPerSecond,
  });
  return { bucket, client: openEdgarClient({ baseUrl: server.url, userAgent: undefined, bucket }) };
}

/** The highest number of arrivals within one second. */
function busiestSecond(arrivals: readonly number[]): number {
  return Math.max(...arrivals.map((from) => arrivals.filter((at) => at >= from && at < from + 1_000).length));
}

beforeAll(async () => {
  server = await scriptedServer();
  server.play((_, response) => response.writeHead(200).end('<feed/>'));
});

afterAll(async () => {
  for (const redis of connections) redis.disconnect();
  await server.close();
});

describe('the rate of all processes together', () => {
  it('stays at 5 a second, evenly, and under 10 in any second that the server sees', async () => {
    const clients = [1, 2, 3, 4].map(() => process('rate', 5).client);
    const before = server.arrivals.length;
    await Promise.all(clients.flatMap((client) => [1, 2, 3, 4].map(() => client.fetchCurrentFeed(FEED))));
    const arrivals = server.arrivals.slice(before);
    const [first = 0] = arrivals;
    expect(arrivals).toHaveLength(16);
    expect((arrivals.at(-1) ?? 0) - first).toBeGreaterThanOrEqual(14 * 200);
    expect(busiestSecond(arrivals)).toBeLessThan(10);
  });

  it('keeps a share for what is live: it waits for no backlog of history', async () => {
    const { bucket } = process('share', 10);
    let served = 0;
    // They take ten seconds; what is left of them ends with the connection.
    const backlog = Array.from({ length: 80 }, async () => {
      await bucket.take('backfill');
      served += 1;
    });
    for (const waiting of backlog) waiting.catch(() => undefined);
    await backlog[0];
    for (let n = 0; n < 3; n += 1) await bucket.take('live');
    expect(served).toBeLessThan(40);
  });

  it('can be high for a local EDGAR', async () => {
    const { bucket } = process('fast', 10_000);
    await bucket.take();
    const from = performance.now();
    await Promise.all(Array.from({ length: 500 }, () => bucket.take()));
    // At the rate for the SEC they take a hundred seconds.
    expect(performance.now() - from).toBeLessThan(50_000);
  });

  it('is zero without Redis: the bucket fails closed', async () => {
    const redis = openCreditsRedis('redis://127.0.0.1:1');
    connections.push(redis);
    const bucket = openEdgarBucket({ redis, prefix: 'x', requestsPerSecond: 5 });
    await expect(bucket.take()).rejects.toMatchObject({ code: 'edgar_bucket_unavailable', retry: true });
  });
});

describe('a block page', () => {
  it('stops every process without another request for ten to eleven minutes', async () => {
    const blocked = process('block', 1_000);
    const other = process('block', 1_000);
    server.play((_, response) => response.writeHead(403).end(THRESHOLD));
    await expect(blocked.client.fetchCurrentFeed(FEED)).rejects.toMatchObject({
      code: 'edgar_blocked',
      retry: true,
    });
    const seen = server.arrivals.length;
    await expect(other.client.fetchCurrentFeed(FEED)).rejects.toMatchObject({ code: 'edgar_blocked' });
    expect(server.arrivals).toHaveLength(seen);
    const forMs = await other.bucket.blockedForMs();
    expect(forMs).toBeGreaterThan(590_000);
    expect(forMs).toBeLessThanOrEqual(660_000);
  });

  it('lasts at least as long as Retry-After says, and ends by itself', async () => {
    const { bucket, client } = process('after', 1_000);
    server.play((_, response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    await expect(client.fetchCurrentFeed(FEED)).rejects.toMatchObject({ code: 'edgar_blocked' });
    expect(await bucket.blockedForMs()).toBeGreaterThan(3_590_000);

    const short = openEdgarBucket({
      redis: openWorldRedis(),
      prefix: `${world.config.queuePrefix}-short`,
      requestsPerSecond: 1_000,
      blockSeconds: 0.05,
    });
    await short.block();
    await expect(short.take()).rejects.toMatchObject({ code: 'edgar_blocked' });
    await expect.poll(() => short.blockedForMs()).toBe(0);
    await short.take();
  });
});

function openWorldRedis(): Redis {
  const redis = openQueueRedis(world.env['QUEUE_REDIS_URL'] ?? '');
  connections.push(redis);
  return redis;
}
