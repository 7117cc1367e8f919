import type { Refusal } from '../../credits/wallet.ts';
import { callRateLimited } from '../admission/rate-limit.ts';
import { insufficient, type Problem, problem, unauthorized, unavailable } from '../http/problem.ts';
import type { Api } from '../open.ts';

/**
 * The answer to a refused call.
 * @param needed price of the call
 */
export function refusalProblem(
  refusal: Refusal,
  needed: number,
  { siteUrl, supportContact, rateLimit }: Pick<Api, 'siteUrl' | 'supportContact' | 'rateLimit'>,
): Problem {
  switch (refusal.kind) {
    case 'unauthorized':
      return unauthorized();
    case 'insufficient':
      return insufficient(needed, refusal.balance, { siteUrl, supportContact });
    case 'conflict':
      return problem('idempotency_conflict', 'A call with this Idempotency-Key is still in progress.');
    case 'exhausted':
      return problem('idempotency_exhausted', 'This Idempotency-Key has no replays left.');
    case 'mismatch':
      return problem('idempotency_mismatch', 'This Idempotency-Key was used for another call.');
    // A key that MongoDB does not have was refused before: Redis lost the record of this one again.
    case 'unknown_key':
    case 'fenced':
    case 'lagging':
    case 'malformed':
    case 'not_opened':
    case 'unconfirmed':
    case 'voided':
      return unavailable();
    case 'rate_limited':
      return callRateLimited(rateLimit, refusal.waitMs);
  }
}
