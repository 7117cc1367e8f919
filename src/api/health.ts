import type { ServerResponse } from 'node:http';
import { redisSetting, requireNoEviction } from '../redis.ts';
import type { Api } from './api.ts';
import { type Detail, problem } from './http/problem.ts';
import { jsonReply, problemReply, send } from './http/reply.ts';

const CHECK_MS = 2_000;

/** The process answers. Nothing else is asked. */
export function live(res: ServerResponse, requestId: string): void {
  send(res, requestId, jsonReply(200, { data: { status: 'live' } }));
}

/** Mongo and Redis answer and Redis keeps what it is told; else 503 with what is missing. */
export async function ready(api: Api, res: ServerResponse, requestId: string): Promise<void> {
  const found = await Promise.all([
    check('mongo', () => api.db.command({ ping: 1 })),
    check('redis', () => api.redis.ping()),
    check('redis_maxmemory_policy', () => requireNoEviction(api.redis, 'credits')),
    check('redis_appendonly', async () => {
      if ((await redisSetting(api.redis, 'appendonly')) !== 'yes') throw new Error('must be yes');
    }),
  ]);
  const missing = found.filter((detail) => detail !== null);
  if (missing.length === 0) return send(res, requestId, jsonReply(200, { data: { status: 'ready' } }));
  api.log.warn({ missing }, 'not ready');
  const told = problem('unavailable', 'Not ready.', { details: missing, headers: ['Retry-After', '2'] });
  send(res, requestId, problemReply(told, requestId));
}

/** What is wrong, in words that name no host. */
async function check(param: string, action: () => Promise<unknown>): Promise<Detail | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), CHECK_MS);
  });
  try {
    await Promise.race([action(), late]);
    return null;
  } catch {
    return { param, reason: param === 'mongo' || param === 'redis' ? 'does not answer' : 'not as required' };
  } finally {
    clearTimeout(timer);
  }
}
