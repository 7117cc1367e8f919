import type { Redis } from 'ioredis';

/**
 * Subscribes a connection to a channel whenever it is ready; then come the messages, and after a
 * reconnection those in between are lost.
 * @param subscriber of `openCreditsRedis`, for nothing else
 */
export function keepSubscribed(subscriber: Redis, channel: string, onSubscribed: () => void): void {
  subscriber.on('ready', () => {
    // Without an answer in time it tries on a new connection.
    subscriber.subscribe(channel).then(onSubscribed, () => subscriber.disconnect(true));
  });
}
