import { createHash } from 'node:crypto';
import { redisKeys } from '../credits/redis-keys.ts';
import type { ConnectContext } from './connect-context.ts';
import { newToken } from './cookie.ts';
import { textOf } from './form-body.ts';

const HOUR = 3_600;

/** What makes a form one that is acted on once: loading its answer again makes no second key. */
export function newOnce(): string {
  return newToken();
}

/**
 * Whether this form was not sent before, which it then was.
 * @param what tells the forms of one page apart
 */
export async function isFirst(
  context: ConnectContext,
  form: URLSearchParams,
  what: string,
): Promise<boolean> {
  const { redis, tag } = context.api.store;
  const digest = createHash('sha256')
    .update(`${what}|${textOf(form, 'once')}`)
    .digest('hex');
  return (await redis.set(redisKeys(tag).form(digest), '1', 'EX', HOUR, 'NX')) === 'OK';
}
