import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { redisKeys } from '../credits/redis-keys.ts';
import type { CreditStore } from '../credits/store.ts';

const HOUR = 3_600;

/** How many in how many seconds, over all processes. */
const LIMITS = {
  /** Organisations made from one address. */
  sign_up: { points: 5, duration: HOUR },
  /** Sign-up attempts from one address, with taken names too. */
  sign_up_try: { points: 30, duration: HOUR },
  /** Sign-ins from one address, with right and wrong keys. */
  sign_in: { points: 20, duration: HOUR / 4 },
  /** Keys made by one organisation, rotations included. */
  mint: { points: 20, duration: HOUR },
  /** Invalid codes, of one organisation at one address. */
  voucher: { points: 10, duration: HOUR },
} as const;

type LimitName = keyof typeof LIMITS;

export function openLimits({ redis, tag }: Pick<CreditStore, 'redis' | 'tag'>) {
  const limiters = Object.fromEntries(
    Object.entries(LIMITS).map(([name, limit]) => {
      const keyPrefix = redisKeys(tag).limit(name);
      return [name, new RateLimiterRedis({ storeClient: redis, keyPrefix, ...limit })];
    }),
  ) as Record<LimitName, RateLimiterRedis>;
  return {
    /** Counts one. Returns the seconds to wait when the limit is exceeded, else null. */
    async take(name: LimitName, who: string): Promise<number | null> {
      try {
        await limiters[name].consume(who);
        return null;
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000));
      }
    },
    /** Takes one back that should not count. */
    async giveBack(name: LimitName, who: string): Promise<void> {
      await limiters[name].reward(who);
    },
  };
}
