import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';

export type ServiceName = 'mongo' | 'credits' | 'queue';

/** The URL of a service on this machine. */
export function urlOf(name: ServiceName, port: number): string {
  return name === 'mongo'
    ? `mongodb://127.0.0.1:${port}/?directConnection=true`
    : `redis://127.0.0.1:${port}/0`;
}

/** The service answers a ping in its own protocol. A Redis that is still loading does not. */
export async function answers(name: ServiceName, url: string): Promise<boolean> {
  return name === 'mongo' ? mongoAnswers(url) : redisAnswers(url);
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
