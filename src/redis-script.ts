import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Redis, ReplyError } from 'ioredis';

type Script = (redis: Redis, keys: readonly string[], args: readonly string[]) => Promise<unknown>;

/**
 * A Lua script as a function; several files are joined in this order. It is called by its digest, so
 * one call is one command. The text is sent only to a server that does not have it. Not
 * `defineCommand`: with automatic pipelining that sends `SCRIPT EXISTS` again and again.
 */
export function loadScript(...files: readonly URL[]): Script {
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const sha = createHash('sha1').update(text).digest('hex');
  return async (redis, keys, args) => {
    try {
      return await redis.evalsha(sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof ReplyError && String(error).includes('NOSCRIPT'))) throw error;
      return redis.eval(text, keys.length, ...keys, ...args);
    }
  };
}
