import type { RateLimit } from '../../credits/wallet.ts';
import type { HeaderList } from '../http/base-headers.ts';
import { type Problem, problem } from '../http/problem.ts';

/**
 * The headers of the key's rate limit (rule 12.5, draft-ietf-httpapi-ratelimit-headers): the policy, how
 * many calls are left at once, and the seconds after which the full burst is available again.
 */
export function rateLimitHeaders(pace: RateLimit | undefined, calls: number | null): HeaderList {
  if (pace === undefined || calls === null) return [];
  const { perSecond, burst } = pace;
  return [
    ...['RateLimit', `"key";r=${calls};t=${Math.ceil((burst - calls) / perSecond)}`],
    ...['RateLimit-Policy', `"key";q=${burst};w=${Math.ceil(burst / perSecond)}`],
  ];
}

/** The key called more often than its pace; in `waitMs` it has one call again. */
export function keyRateLimited(pace: RateLimit | undefined, waitMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return rateLimited('This key called too often; nothing was charged.', seconds, rateLimitHeaders(pace, 0));
}

export function rateLimited(message: string, retrySeconds: number, headers: HeaderList = []): Problem {
  return problem('rate_limited', message, { headers: [...headers, 'Retry-After', String(retrySeconds)] });
}
