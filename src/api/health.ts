import type { ServerResponse } from 'node:http';
import { redisSetting, requireNoEviction } from '../redis.ts';
import { type Detail, problem } from './http/problem.ts';
import { jsonReply, send, sendProblem } from './http/reply.ts';
import { inTime } from './metering/with-deadline.ts';
import type { Api } from './open.ts';

const CHECK_MS = 2_000;

/** The process answers. Nothing else is checked. */
export function live(res: ServerResponse, requestId: string): void {
  send(res, requestId, jsonReply(200, { data: { status: 'live' } }));
}

/** Anyone may ask, also while the process is overloaded: so the services are asked once in this time. */
const KEPT_MS = 1_000;

/**
 * MongoDB and Redis answer, and Redis loses no writes; else 503 with what is wrong. What is at risk and how the
 * last check ended is for operators: `tidemark status`.
 */
export function readiness(api: Api): (res: ServerResponse, requestId: string) => Promise<void> {
  let kept: { readonly at: number; readonly missing: Promise<readonly Detail[]> } | null = null;
  return async (res, requestId) => {
    const now = performance.now();
    if (kept === null || now - kept.at >= KEPT_MS) kept = { at: now, missing: missingIn(api) };
    const missing = await kept.missing;
    if (missing.length === 0) return send(res, requestId, jsonReply(200, { data: { status: 'ready' } }));
    sendProblem(res, requestId, problem('unavailable', 'Not ready.', { details: missing }));
  };
}

async function missingIn(api: Api): Promise<Detail[]> {
  const { redis } = api.store;
  const found = await Promise.all([
    check('mongo', () => api.db.command({ ping: 1 })),
    check('redis', () => redis.ping()),
    check('redis_maxmemory_policy', () => requireNoEviction(redis, 'credits')),
    check('redis_appendonly', async () => {
      if ((await redisSetting(redis, 'appendonly')) !== 'yes') throw new Error('must be yes');
    }),
  ]);
  const missing = found.filter((detail) => detail !== null);
  if (missing.length > 0) api.log.warn({ missing }, 'not ready');
  return missing;
}

/** What is wrong, without the name of a host. */
async function check(param: string, action: () => Promise<unknown>): Promise<Detail | null> {
  try {
    await inTime(action(), CHECK_MS);
    return null;
  } catch {
    return { param, reason: param === 'mongo' || param === 'redis' ? 'does not answer' : 'not as required' };
  }
}
