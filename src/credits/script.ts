import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Redis, ReplyError } from 'ioredis';
import { AppError } from '../errors.ts';

export type Script = (redis: Redis, keys: readonly string[], args: readonly string[]) => Promise<unknown>;

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

/** What every credits script returns. `third` is null where the script returns -1 or nothing. */
export type ScriptReply<Kind extends string> = {
  readonly kind: Kind;
  readonly balance: number;
  readonly third: number | null;
};

/** Reads `{ code, balance, third }` by the codes that the script documents. Throws `script_reply` for others. */
export function readReply<Kind extends string>(
  reply: unknown,
  kinds: Readonly<Record<string, Kind>>,
): ScriptReply<Kind> {
  const [code, first, second = -1]: unknown[] = Array.isArray(reply) ? reply : [];
  const kind = Object.hasOwn(kinds, String(code)) ? kinds[String(code)] : undefined;
  const balance = Number(first);
  const third = Number(second);
  if (kind !== undefined && Number.isSafeInteger(balance) && Number.isSafeInteger(third)) {
    return { kind, balance, third: third < 0 ? null : third };
  }
  throw new AppError('script_reply', `A credits script returned ${JSON.stringify(reply)}`);
}
