import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Redis, ReplyError } from 'ioredis';
import { AppError } from '../errors.ts';

export type Script = (redis: Redis, keys: readonly string[], args: readonly string[]) => Promise<unknown>;

/**
 * A Lua script as a function. Sent by its digest, so that one call is one command; the text goes
 * only to a server that does not know it yet. Not `defineCommand`: with automatic pipelining that
 * asks `SCRIPT EXISTS` again and again.
 */
export function loadScript(file: URL): Script {
  const text = readFileSync(file, 'utf8');
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

/** What every credits script answers: a code and the balance that it saw or left. */
export type ScriptReply<Code extends string> = { readonly code: Code; readonly balance: number };

/** Checks the reply's shape; throws `script_reply` when it is none of the codes that the script documents. */
export function readReply<Code extends string>(reply: unknown, codes: readonly Code[]): ScriptReply<Code> {
  if (Array.isArray(reply) && reply.length === 2) {
    const [first, second] = reply as unknown[];
    const code = codes.find((known) => known === first);
    const balance = Number(second);
    if (code !== undefined && Number.isSafeInteger(balance)) return { code, balance };
  }
  throw new AppError('script_reply', `A credits script answered ${JSON.stringify(reply)}`);
}
