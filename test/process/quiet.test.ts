import { afterEach, expect, test, vi } from 'vitest';
import { freePort } from '../../packages/embedded/port.ts';
import { openCreditsRedis, openQueueRedis } from '../../src/redis.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test.each([['credits', openCreditsRedis] as const, ['queue', openQueueRedis] as const])(
  'a failing %s connection prints nothing, and neither does its duplicate',
  async (_, open) => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const redis = open(`redis://127.0.0.1:${await freePort()}`);
    for (const connection of [redis, redis.duplicate(), redis.duplicate().duplicate()]) {
      await expect(connection.connect()).rejects.toThrow();
      connection.disconnect();
    }
    expect(printed).not.toHaveBeenCalled();
  },
);
