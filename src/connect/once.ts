import { redisKeys } from '../credits/redis-keys.ts';
import { sha256Hex } from '../domain/canonical.ts';
import type { ConnectContext } from './connect-context.ts';
import { textOf } from './form-body.ts';

const HOUR = 3_600;

/**
 * Whether this form is sent for the first time; marks it as sent. So reloading its answer makes no
 * second key.
 * @param what distinguishes the forms of one page
 */
export async function isFirst(
  context: ConnectContext,
  form: URLSearchParams,
  what: string,
): Promise<boolean> {
  const { redis, tag } = context.api.store;
  const digest = sha256Hex(`${what}|${textOf(form, 'once')}`);
  return (await redis.set(redisKeys(tag).form(digest), '1', 'EX', HOUR, 'NX')) === 'OK';
}
