import type { Redis } from 'ioredis';
import { keepSubscribed } from '../../credits/keep-subscribed.ts';

/** A connection that only listens does not notice a lost route. A ping does: it has a time limit. */
const PULSE_MS = 5_000;

/** Subscribes on a copy of the connection. `onGap` is called after messages may have been lost. */
export async function listen(
  redis: Redis,
  channel: string,
  on: { readonly onMessage: (message: string) => void; readonly onGap: () => void },
): Promise<{ readonly close: () => void }> {
  const subscriber = redis.duplicate({
    enableOfflineQueue: true,
    enableAutoPipelining: false,
    maxRetriesPerRequest: null,
    lazyConnect: true,
  });
  subscriber.on('error', () => undefined);
  subscriber.on('message', (_channel, message: string) => on.onMessage(message));
  subscriber.on('close', on.onGap);
  keepSubscribed(subscriber, channel, on.onGap);
  try {
    await subscriber.connect();
    await subscriber.subscribe(channel);
    const pulse = setInterval(() => void subscriber.ping().catch(() => undefined), PULSE_MS).unref();
    return {
      close: () => {
        clearInterval(pulse);
        subscriber.disconnect();
      },
    };
  } catch (error) {
    // It has no limit on retries, so it would go on connecting.
    subscriber.disconnect();
    throw error;
  }
}
