import type { IncomingMessage } from 'node:http';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { clientAddress } from '../http/address.ts';
import { addressBlock } from '../http/address-block.ts';
import type { Problem } from '../http/problem.ts';
import { rateLimited } from './rate-limit.ts';

/**
 * Bounds how often an address may fail to authenticate. Judged before any look-up, so that guessing
 * keys costs Redis and MongoDB nothing; a key that this process knows passes whatever its address did.
 */
export type AuthFailureLimiter = {
  /** Why the address is not answered now; null when it may try. */
  readonly refuse: (req: IncomingMessage) => Promise<Problem | null>;
  /** Counts a failure of the address. */
  readonly count: (req: IncomingMessage) => Promise<void>;
};

const WINDOW_SECONDS = 60;

/** `perMinute` failures an address, 0 for no bound; `hops` proxies in front are trusted. */
export function openAuthFailureLimiter(perMinute: number, hops: number): AuthFailureLimiter {
  if (perMinute === 0) return { refuse: async () => null, count: async () => undefined };
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS });
  const blockOf = (req: IncomingMessage): string => addressBlock(clientAddress(req, hops));
  return {
    async refuse(req) {
      const seen: RateLimiterRes | null = await limiter.get(blockOf(req));
      if (seen === null || seen.consumedPoints < perMinute) return null;
      const seconds = Math.max(1, Math.ceil(seen.msBeforeNext / 1_000));
      return rateLimited('This address failed to authenticate too often.', seconds);
    },
    async count(req) {
      // Past the bound the limiter rejects; the count stands all the same.
      await limiter.consume(blockOf(req)).catch(() => undefined);
    },
  };
}
