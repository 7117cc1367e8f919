import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { CreditStore } from '../credits/credit-store.ts';
import { redisKeys } from '../credits/redis-keys.ts';

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

export type ConnectLimits = {
  /** Counts one. Returns the seconds to wait when the limit is exceeded, else null. */
  readonly take: (name: LimitName, who: string) => Promise<number | null>;
  /** Takes one back that should not count. */
  readonly giveBack: (name: LimitName, who: string) => Promise<void>;
};

export function openLimits({ redis, tag }: Pick<CreditStore, 'redis' | 'tag'>): ConnectLimits {
  const limiter = (name: LimitName): RateLimiterRedis =>
    new RateLimiterRedis({ storeClient: redis, keyPrefix: redisKeys(tag).limit(name), ...LIMITS[name] });
  const limiters = {
    sign_up: limiter('sign_up'),
    sign_up_try: limiter('sign_up_try'),
    sign_in: limiter('sign_in'),
    mint: limiter('mint'),
    voucher: limiter('voucher'),
  } satisfies Record<LimitName, RateLimiterRedis>;
  return {
    async take(name, who) {
      try {
        await limiters[name].consume(who);
        return null;
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000));
      }
    },
    async giveBack(name, who) {
      await limiters[name].reward(who);
    },
  };
}
