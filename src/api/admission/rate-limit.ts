import type { RateLimit } from '../../credits/wallet.ts';
import type { HeaderList } from '../http/base-headers.ts';
import { type Problem, problem } from '../http/problem.ts';

/**
 * The headers for the key's rate limit (rule 12.5, draft-ietf-httpapi-ratelimit-headers): the policy,
 * the calls left at once, and the seconds until the burst is complete again. None without a limit or
 * for a call that was not counted.
 */
export function rateLimitHeaders(rateLimit: RateLimit | undefined, calls: number | null): HeaderList {
  if (rateLimit === undefined || calls === null) return [];
  const { perSecond, burst } = rateLimit;
  return [
    ...['RateLimit', `"key";r=${calls};t=${Math.ceil((burst - calls) / perSecond)}`],
    ...['RateLimit-Policy', `"key";q=${burst};w=${Math.ceil(burst / perSecond)}`],
  ];
}

/** The key exceeded its rate limit; it has one call again in `waitMs`. */
export function keyRateLimited(rateLimit: RateLimit | undefined, waitMs: number): Problem {
  const headers = rateLimitHeaders(rateLimit, 0);
  return rateLimited('This key sent too many calls. Nothing was charged.', waitMs, headers);
}

export function rateLimited(message: string, waitMs: number, headers: HeaderList = []): Problem {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return problem('rate_limited', message, { headers: [...headers, 'Retry-After', String(seconds)] });
}
