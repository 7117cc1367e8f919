import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Api } from '../api/open.ts';
import { ACCOUNT_LIMITS, FREE_CREDITS_SECONDS } from '../credits/account/limits.ts';
import { redisKeys } from '../credits/redis-keys.ts';
import type { CreditStore } from '../credits/store.ts';
import { formTokens, openPaidTokens, openSessions, tokenCookie } from './sessions.ts';

export type ConnectContext = Readonly<ReturnType<typeof openConnect>>;

/** What the account pages need, opened once at start. */
export function openConnect(api: Api) {
  const isHttps = api.siteUrl.startsWith('https:');
  return {
    api,
    sessions: openSessions(api.store),
    paidTokens: openPaidTokens(api.store),
    limits: openLimits(api.store, api.signUp),
    tokens: formTokens(api.store.pepper),
    /** For a signed-in visitor. */
    sessionCookie: tokenCookie('tidemark', isHttps),
    /** For any visitor: the forms before sign-in are bound to it. */
    formCookie: tokenCookie('tidemark-form', isHttps),
  };
}

export type LimitName = keyof typeof ACCOUNT_LIMITS | keyof ReturnType<typeof freeCredits>;

type SignUp = { readonly credits: number; readonly creditsPerDay: number };

/** Half of a day's free credits are there at once, the other half comes by the hour; none is less than one gift. */
function freeCredits({ credits, creditsPerDay }: SignUp) {
  const half = Math.floor(creditsPerDay / 2);
  const atOnce = half < credits ? 0 : half;
  const byHour = Math.max(1, creditsPerDay - atOnce);
  const points = Math.max(credits, Math.floor(byHour / 24));
  return {
    free_credits: { points: atOnce, duration: FREE_CREDITS_SECONDS },
    free_credits_hour: { points, duration: Math.ceil((points * FREE_CREDITS_SECONDS) / byHour) },
  };
}

function openLimits({ redis, tag }: Pick<CreditStore, 'redis' | 'tag'>, signUp: SignUp) {
  const limits = { ...ACCOUNT_LIMITS, ...freeCredits(signUp) };
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
