import type { Socket } from 'node:net';
import type { Redis } from 'ioredis';
import type { Db } from 'mongodb';
import { keepSubscribed } from '../../credits/notices.ts';
import { type EventDoc, readEvents } from '../../store/filing/events.ts';
import { onceUntilEnd } from '../http/connection.ts';

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

/** What a held call waits for: an event that matches, after the head of the stream that its page was read from. */
type Awaited = { readonly head: number; readonly matches: (event: EventDoc) => boolean };

type Waiting = Awaited & { readonly wake: () => void };

type Holding = { readonly socket: Socket; readonly ms: number; readonly ended?: AbortSignal };

/** An announcement that is lost, or that a process did not live to send, delays an event by this much. */
const LOOK_MS = 2_000;
const BATCH = 200;

/**
 * Wakes the calls that wait for an event (rule 11.22). New events are read once for all of them: after each
 * announcement on `channel`, and every two seconds while a call waits. Who is woken reads its page again, so a
 * needless wake-up costs a read and a lost one a delay. Resolves when it is subscribed.
 */
export async function openArrivals(db: Db, redis: Redis, channel: string) {
  const waiting = new Set<Waiting>();
  const held = new Set<() => void>();
  /** Every waiting call was compared with the events up to here. */
  let position = 0;
  let isReading = false;
  let isBehind = false;
  let isClosed = false;
  const read = async (): Promise<void> => {
    const from = position;
    const query = { forms: [], tickers: [], since: from, limit: BATCH };
    const { events, nextCursor } = await readEvents(db, query);
    for (const { head, matches, wake } of waiting) {
      if (events.some((event) => Number(event._id) > head && matches(event))) wake();
    }
    // A call that came meanwhile may have set it back.
    if (position === from) position = nextCursor;
    isBehind ||= events.length === BATCH;
  };
  const look = async (): Promise<void> => {
    isBehind = true;
    if (isReading) return;
    isReading = true;
    try {
      while (isBehind && waiting.size > 0) {
        isBehind = false;
        await read();
      }
    } catch {
      // MongoDB is away. The next look reads from the same position.
    } finally {
      isReading = false;
    }
  };
  const subscriber = await listen(redis, channel, { onMessage: () => void look(), onGap: () => void look() });
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  return {
    /** Resolves at an event that is `awaited`, after `ms`, when it is `ended`, when the client is gone, and at {@link close}. */
    wait(awaited: Awaited | null, { socket, ms, ended }: Holding): Promise<void> {
      return new Promise((resolve) => {
        const end = onceUntilEnd(socket, () => {
          clearTimeout(timeout);
          held.delete(end);
          if (one !== null) waiting.delete(one);
          resolve();
        });
        const timeout = setTimeout(end, ms);
        const one = awaited === null ? null : { ...awaited, wake: end };
        held.add(end);
        ended?.addEventListener('abort', end, { once: true });
        if (isClosed) return end();
        if (one === null) return;
        const isLate = waiting.size === 0 || one.head < position;
        waiting.add(one);
        // Its page was read before it came here: what was published in between is read for it.
        if (isLate) {
          position = one.head;
          void look();
        }
      });
    },
    isClosed: () => isClosed,
    /** Ends all waiting, now and from now on. */
    close(): void {
      isClosed = true;
      clearInterval(timer);
      subscriber.close();
      for (const end of [...held]) end();
    },
  };
}
