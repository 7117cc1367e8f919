import { redisKeys } from '../credits/redis-keys.ts';
import { sha256Hex } from '../domain/canonical.ts';
import type { Answer, SignedInRequest } from './answer.ts';
import type { ConnectContext, LimitName } from './context.ts';
import { textOf } from './page-request.ts';
import { FOREIGN, tooMany } from './refusal-page.ts';

const HOUR = 3_600;

type Secret = {
  /** Distinguishes the forms of one page. */
  readonly what: string;
  /** How often the organisation may send it, counted before anything is remembered. */
  readonly limit: LimitName;
  readonly refusal: string;
};

/**
 * The answer to a form that makes a secret when it may not be acted on: it is not of our page, was sent too
 * often, or was sent before. Reloading the answer of such a form makes no second secret. Null the first time.
 */
export async function refusedOnce(
  context: ConnectContext,
  { session }: SignedInRequest,
  form: URLSearchParams,
  { what, limit, refusal }: Secret,
): Promise<Answer | null> {
  const once = textOf(form, 'once');
  if (!context.tokens.isOnce(session.token, once)) return FOREIGN;
  const wait = await context.limits.take(limit, session.orgId);
  if (wait !== null) return tooMany(wait, refusal);
  const { redis, tag } = context.api.store;
  const name = redisKeys(tag).form(sha256Hex(`${what}|${once}`));
  if ((await redis.set(name, '1', 'EX', HOUR, 'NX')) === 'OK') return null;
  await context.limits.giveBack(limit, session.orgId);
  return { kind: 'done', notice: 'sent_before' };
}
