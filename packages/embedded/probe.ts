import { Redis } from 'ioredis';
import { type Document, MongoClient } from 'mongodb';

export type ServiceName = 'mongo' | 'credits' | 'queue';

/** The user of MongoDB; that of Redis is its default user. */
export const MONGO_USER = 'tidemark';

/** The URL of a service on this machine. */
export function urlOf(name: ServiceName, port: number, password: string | null): string {
  if (name === 'mongo') {
    return `mongodb://${password === null ? '' : `${MONGO_USER}:${password}@`}127.0.0.1:${port}/?directConnection=true`;
  }
  return `redis://${password === null ? '' : `:${password}@`}127.0.0.1:${port}/0`;
}

/** The service answers a ping in its own protocol. A Redis that is still loading does not. */
export async function answers(name: ServiceName, url: string): Promise<boolean> {
  return name === 'mongo' ? mongoAnswers(url) : redisAnswers(url);
}

/**
 * Makes the first user of a MongoDB on this machine that has none: it takes one without a password (the
 * localhost exception). A server that has a user refuses, which is as good. False when it does not answer.
 */
export async function addFirstUser(port: number, password: string): Promise<boolean> {
  const createUser = { createUser: MONGO_USER, pwd: password, roles: ['root'] };
  const refused = (error: unknown): boolean => (error as { code?: unknown }).code === UNAUTHORIZED;
  return mongoDoes(urlOf('mongo', port, null), createUser, refused);
}

const UNAUTHORIZED = 13;

function mongoAnswers(url: string): Promise<boolean> {
  return mongoDoes(url, { ping: 1 });
}

async function mongoDoes(url: string, command: Document, orElse = (_: unknown) => false): Promise<boolean> {
  const limits = { serverSelectionTimeoutMS: 1_000, connectTimeoutMS: 1_000, socketTimeoutMS: 2_000 };
  const client = new MongoClient(url, limits);
  try {
    await client.connect();
    await client.db('admin').command(command);
    return true;
  } catch (error) {
    return orElse(error);
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
