import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { redisKeys } from '../credits/redis-keys.ts';
import type { CreditStore } from '../credits/store.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** How many in how many seconds, over all processes. */
const LIMITS = {
  /** Organisations made from one address. */
  sign_up: { points: 5, duration: HOUR },
  /** Sign-up attempts from one address, with taken names too. */
  sign_up_try: { points: 30, duration: HOUR },
  /** Sign-ins from one address, with right and wrong keys or recovery codes. */
  sign_in: { points: 20, duration: HOUR / 4 },
  /** Keys made by one organisation, rotations included. */
  mint: { points: 20, duration: HOUR },
  /** Recovery codes made by one organisation. */
  recovery: { points: 20, duration: HOUR },
  /** Invalid codes, of one organisation at one address. */
  voucher: { points: 10, duration: HOUR },
  /** Pages and forms of one organisation: each reads MongoDB and Redis. */
  page: { points: 120, duration: 60 },
} as const;

export type LimitName = keyof typeof LIMITS | 'free_credits';

/** @param creditsADay free credits of all new organisations of the site together */
export function openLimits({ redis, tag }: Pick<CreditStore, 'redis' | 'tag'>, creditsADay: number) {
  const limits = { ...LIMITS, free_credits: { points: creditsADay, duration: DAY } };
  const limiters = Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => {
      const keyPrefix = redisKeys(tag).limit(name);
      return [name, new RateLimiterRedis({ storeClient: redis, keyPrefix, ...limit })];
    }),
  ) as Record<LimitName, RateLimiterRedis>;
  return {
    /** Counts one, or so many. Returns the seconds to wait when the limit is exceeded, else null. */
    async take(name: LimitName, who: string, points = 1): Promise<number | null> {
      if (points === 0) return null;
      try {
        await limiters[name].consume(who, points);
        return null;
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000));
      }
    },
    /** Takes back what should not count. */
    async giveBack(name: LimitName, who: string, points = 1): Promise<void> {
      if (points > 0) await limiters[name].reward(who, points);
    },
  };
}
