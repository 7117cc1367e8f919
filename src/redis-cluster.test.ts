import { expect, test } from 'vitest';
import { AppError } from './errors.ts';
import { connectReady, openCreditsRedis } from './redis.ts';
import { parseClusterUrl } from './redis-cluster.ts';

test('a cluster is named by some of its nodes and one sign-in', () => {
  expect(parseClusterUrl('redis-cluster://app:p%40ss@one:7000,two,[::1]:7002')).toEqual({
    nodes: [
      { host: 'one', port: 7_000 },
      { host: 'two', port: 6_379 },
      { host: '::1', port: 7_002 },
    ],
    access: { username: 'app', password: 'p@ss' },
  });
  expect(parseClusterUrl('rediss-cluster://one/')?.access).toEqual({ tls: {} });
});

test.each(['redis://one:6379/0', 'redis-cluster://', 'redis-cluster://one:port', 'redis-cluster://one,/0'])(
  '%s is not a cluster',
  (url) => expect(parseClusterUrl(url)).toBeNull(),
);

test('a cluster that does not answer stops a start with one line, which names a node', async () => {
  const redis = openCreditsRedis('redis-cluster://127.0.0.1:1,127.0.0.1:2', 'cr');
  const failed = await connectReady(redis, 'credits').catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(AppError);
  expect((failed as AppError).message).toBe('The Redis of the credits does not answer at 127.0.0.1:1');
});
