import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Logger } from '../../log.ts';
import { applyPendingGrants } from '../grant.ts';
import { keepSubscribed } from '../notices.ts';
import { redisKeys } from '../redis-keys.ts';
import { redisRun } from '../run.ts';
import type { CreditStore } from '../store.ts';
import { countEmptyLog, drainLog } from './drain.ts';
import { watchOpenCalls } from './sweep.ts';

/** The process that stands by takes over after this. Two drainers at once do no harm. */
const LEASE_MS = 5_000;
const RENEW_MS = 1_000;
/** Between two looks at the log, unless an organisation has half of what may be at risk. */
const PAUSE_MS = 50;
const STANDBY_MS = 1_000;
const SWEEP_MS = 5_000;
const WARN_MS = 10_000;

type Drainer = { readonly close: () => Promise<void> };

/**
 * Keeps the log of charges drained to MongoDB (rule 12.6), voids what dead processes left open, and applies
 * grants that a crash left. Every API process runs one; one of them holds the lease and the others stand by.
 */
export function startDrainer(store: CreditStore, log: Pick<Logger, 'warn'>): Drainer {
  const { drainer, fence, fullLog } = redisKeys(store.tag);
  const full = listenForFullLog(store.redis, fullLog);
  const sweeper = watchOpenCalls(store);
  const token = randomBytes(8).toString('hex');
  const stopping = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  let renewedAt = Number.NEGATIVE_INFINITY;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let warnedAt = Number.NEGATIVE_INFINITY;

  async function holdsLease(): Promise<boolean> {
    if (performance.now() - renewedAt < RENEW_MS) return true;
    // Of a pair that failed over and back, also where this process asked for nothing meanwhile.
    await redisRun(store.redis, fence).id();
    const taken = await store.redis.set(drainer, token, 'PX', LEASE_MS, 'NX');
    if (taken === null && (await store.redis.get(drainer)) !== token) return false;
    await store.redis.pexpire(drainer, LEASE_MS);
    renewedAt = performance.now();
    return true;
  }

  /** False while another process has the lease. */
  async function turn(): Promise<boolean> {
    const busy = full.take();
    if (!(await holdsLease())) return false;
    await drainLog(store);
    if (busy.length > 0) await countEmptyLog(store, busy);
    if (performance.now() - sweptAt > SWEEP_MS) {
      sweptAt = performance.now();
      await sweeper.voidCallsOfDead();
      await applyPendingGrants(store, warn);
    }
    return true;
  }

  const warn = (error: unknown): void => {
    if (performance.now() - warnedAt > WARN_MS) log.warn({ error: String(error) }, 'credits are not drained');
    warnedAt = performance.now();
  };

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        if (await turn()) await full.wait(PAUSE_MS, stopping.signal);
        else await pause(STANDBY_MS);
      } catch (error) {
        renewedAt = Number.NEGATIVE_INFINITY;
        warn(error);
        await pause(STANDBY_MS);
      }
    }
  }

  const running = run();
  return {
    /** Drains what is left, whoever has the lease, and gives it back. Throws when a service does not answer. */
    async close() {
      stopping.abort();
      await running;
      full.close();
      await drainLog(store);
      if ((await store.redis.get(drainer)) === token) await store.redis.del(drainer);
    },
  };
}

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
