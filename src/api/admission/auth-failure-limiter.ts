import type { IncomingMessage } from 'node:http';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { clientBlock } from '../http/address.ts';
import type { Problem } from '../http/problem.ts';
import { rateLimited } from './rate-limit.ts';

/**
 * Limits how often an address may fail to authenticate. It is checked before any look-up, so guessing
 * keys costs Redis and MongoDB nothing. A key that this process knows passes from any address.
 */
export type AuthFailureLimiter = {
  /** Why the address is refused now; null when it may try. */
  readonly refuse: (req: IncomingMessage) => Promise<Problem | null>;
  /** Counts a failure of the address. */
  readonly count: (req: IncomingMessage) => Promise<void>;
};

const WINDOW_SECONDS = 60;

/** Allows `perMinute` failures of an address, 0 for unlimited. `hops` proxies in front are trusted. */
export function openAuthFailureLimiter(perMinute: number, hops: number): AuthFailureLimiter {
  if (perMinute === 0) return { refuse: async () => null, count: async () => undefined };
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS });
  return {
    async refuse(req) {
      const seen = await limiter.get(clientBlock(req, hops));
      if (seen === null || seen.consumedPoints < perMinute) return null;
      return rateLimited('This address failed to authenticate too often.', seen.msBeforeNext);
    },
    async count(req) {
      // Above the limit the limiter rejects, but it has counted.
      await limiter.consume(clientBlock(req, hops)).catch(() => undefined);
    },
  };
}
