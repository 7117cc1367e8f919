import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { keepSubscribed } from '../keep-subscribed.ts';

/**
 * Hears on a copy of the connection of organisations that have half of what may be at risk, or all of it
 * (charge.lua). While it cannot hear, its waits last their time.
 */
export function listenForFullLog(redis: Redis, channel: string) {
  const heard = new Set<string>();
  let wake = (): void => undefined;
  const subscriber = redis.duplicate({ lazyConnect: true, enableAutoPipelining: false });
  subscriber.on('error', () => undefined);
  subscriber.on('message', (_channel, orgId: string) => {
    heard.add(orgId);
    wake();
  });
  keepSubscribed(subscriber, channel, () => undefined);
  // ioredis tries again by itself.
  subscriber.connect().catch(() => undefined);
  return {
    /** The organisations since the last call. */
    take(): string[] {
      const taken = [...heard];
      heard.clear();
      return taken;
    },
    /** Resolves after `ms`, with the next organisation, or when stopped. At once when one was heard since `take`. */
    async wait(ms: number, stopping: AbortSignal): Promise<void> {
      if (heard.size > 0 || stopping.aborted) return;
      const woken = new AbortController();
      const end = (): void => woken.abort();
      wake = end;
      // Not AbortSignal.any: `stopping` lives as long as the process and would keep something of each wait.
      stopping.addEventListener('abort', end);
      await sleep(ms, undefined, { signal: woken.signal }).catch(() => undefined);
      stopping.removeEventListener('abort', end);
    },
    close: (): void => subscriber.disconnect(),
  };
}
