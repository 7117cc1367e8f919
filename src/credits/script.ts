import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Redis, ReplyError } from 'ioredis';
import { AppError } from '../errors.ts';

export type Script = (redis: Redis, keys: readonly string[], args: readonly string[]) => Promise<unknown>;

/**
 * A Lua script as a function, of one file or of several in this order. Sent by its digest, so that one call is one command; the text goes
 * only to a server that does not know it yet. Not `defineCommand`: with automatic pipelining that
 * asks `SCRIPT EXISTS` again and again.
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

/**
 * What every credits script answers: a code and the balance that it saw or left. `calls`: how many
 * the key has left in its burst, null where that was not counted; with `ERATE` the milliseconds to wait.
 */
export type ScriptReply<Code extends string> = {
  readonly code: Code;
  readonly balance: number;
  readonly calls: number | null;
};

/** Checks the reply's shape; throws `script_reply` when it is none of the codes that the script documents. */
export function readReply<Code extends string>(reply: unknown, codes: readonly Code[]): ScriptReply<Code> {
  if (Array.isArray(reply)) {
    const [first, second, third = -1] = reply as unknown[];
    const code = codes.find((known) => known === first);
    const balance = Number(second);
    const calls = Number(third);
    if (code !== undefined && Number.isSafeInteger(balance) && Number.isSafeInteger(calls)) {
      return { code, balance, calls: calls < 0 ? null : calls };
    }
  }
  throw new AppError('script_reply', `A credits script answered ${JSON.stringify(reply)}`);
}
