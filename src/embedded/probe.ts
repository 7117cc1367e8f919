import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';

export type ServiceName = 'mongo' | 'credits' | 'queue';

/**
 * What a client needs to know to reach a service on this machine. The embedded engine scans all retryable
 * writes of the last half hour at each write: after 10,000 of them a write costs ten times as much. They
 * would not survive a crash of the engine either. A failed write is repeated by its job.
 */
export function urlOf(name: ServiceName, port: number): string {
  return name === 'mongo'
    ? `mongodb://127.0.0.1:${port}/?directConnection=true&retryWrites=false`
    : `redis://127.0.0.1:${port}/0`;
}

/** True once the service answers a ping in its own protocol (a Redis that still loads its file does not). */
export async function answers(name: ServiceName, url: string): Promise<boolean> {
  return name === 'mongo' ? mongoAnswers(url) : redisAnswers(url);
}

/** Asks until `check` holds, `giveUp` says there is no hope, or the time is over. */
export async function waitUntil(
  check: () => Promise<boolean>,
  limitMs: number,
  giveUp: () => boolean = () => false,
): Promise<boolean> {
  const until = Date.now() + limitMs;
  for (;;) {
    if (await check()) return true;
    if (giveUp() || Date.now() > until) return false;
    await sleep(50);
  }
}

async function mongoAnswers(url: string): Promise<boolean> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 1_000, connectTimeoutMS: 1_000 });
  try {
    await client.connect();
    await client.db('admin').command({ ping: 1 }, { timeoutMS: 2_000 });
    return true;
  } catch {
    return false;
  } finally {
    await client.close().catch(() => undefined);
  }
}

async function redisAnswers(url: string): Promise<boolean> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 1_000,
    commandTimeout: 2_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}
