import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { openCreditsRedis } from '../../src/redis.ts';

/** A connection to Redis that can be made to break, and to come back. */
export type BreakingRedis = {
  readonly redis: Redis;
  /** Lets so many more messages through to Redis; then it is away until {@link BreakingRedis.mend}. */
  readonly breakAfter: (messages: number) => void;
  /** Answers whether it was away. Resolves when Redis answers again. */
  readonly mend: () => Promise<boolean>;
  readonly close: () => void;
};

export async function breakingRedis(url: string): Promise<BreakingRedis> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let left = Number.POSITIVE_INFINITY;
  const isAway = () => left < 0;
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    if (isAway()) return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        near.destroy();
        far.destroy();
        sockets.delete(socket);
      });
    }
    far.on('data', (chunk) => near.write(chunk));
    near.on('data', (chunk) => {
      left -= 1;
      if (isAway()) destroyAll();
      else far.write(chunk);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const near = new URL(url);
  near.port = String((server.address() as AddressInfo).port);
  const redis = openCreditsRedis(near.href);
  await redis.connect();
  return {
    redis,
    breakAfter: (messages) => {
      left = messages;
    },
    async mend() {
      const wasAway = isAway();
      left = Number.POSITIVE_INFINITY;
      // It may not have noticed yet that its connection broke.
      while (!(await redis.ping().then(Boolean, () => false))) await sleep(10);
      return wasAway;
    },
    close: () => {
      redis.disconnect();
      server.close();
      destroyAll();
    },
  };
}
