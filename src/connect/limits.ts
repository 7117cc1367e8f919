import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { KeyStore } from '../credits/account/key-store.ts';
import { redisKeys } from '../credits/redis-keys.ts';

const HOUR = 3_600;

/** How many in how many seconds, over all processes. */
const LIMITS = {
  /** Organisations that one address makes. */
  sign_up: { points: 5, duration: HOUR },
  /** Tries of one address, names that are taken included. */
  sign_up_try: { points: 30, duration: HOUR },
  /** Of one address, with right and wrong keys. */
  sign_in: { points: 20, duration: HOUR / 4 },
  /** Keys that one organisation makes, rotations included. */
  mint: { points: 20, duration: HOUR },
  /** Codes that are none, of one organisation at one address. */
  voucher: { points: 10, duration: HOUR },
} as const;

export type LimitName = keyof typeof LIMITS;

export type ConnectLimits = {
  /** Counts one; answers the seconds to wait when that is one too many, else null. */
  readonly take: (name: LimitName, who: string) => Promise<number | null>;
  /** Takes one back that turned out not to count. */
  readonly giveBack: (name: LimitName, who: string) => Promise<void>;
};

export function openLimits({ redis, tag }: KeyStore): ConnectLimits {
  const limiters = new Map(
    Object.entries(LIMITS).map(([name, bound]) => {
      const keyPrefix = redisKeys(tag).limit(name);
      return [name, new RateLimiterRedis({ storeClient: redis, keyPrefix, ...bound })];
    }),
  );
  const limiterOf = (name: LimitName): RateLimiterRedis => {
    const limiter = limiters.get(name);
    if (limiter === undefined) throw new RangeError(`no limit ${name}`);
    return limiter;
  };
  return {
    async take(name, who) {
      try {
        await limiterOf(name).consume(who);
        return null;
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000));
      }
    },
    async giveBack(name, who) {
      await limiterOf(name).reward(who);
    },
  };
}
