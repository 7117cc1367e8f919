import { randomBytes } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';

/**
 * Has every balance compared with the ledger again before its next charge (rule 12.7), as after a restart of
 * Redis: for when MongoDB or Redis was restored. Processes may run on.
 */
export async function fenceCredits({ redis, tag }: CreditStore): Promise<void> {
  // In this order: what is loaded from now on is of the new fence, and everything before is forgotten.
  await redis.set(redisKeys(tag).fence, randomBytes(8).toString('hex'));
  await redis.script('FLUSH');
}

/** Throws `apis_running`: an API that drains charges would add them to a ledger that is being restored. */
export async function requireNoDrainer({ redis, tag }: Pick<CreditStore, 'redis' | 'tag'>): Promise<void> {
  if ((await redis.exists(redisKeys(tag).drainer)) === 0) return;
  const message = 'An API runs, or was killed in the last seconds. Stop all processes, then run this again.';
  throw new AppError('apis_running', message, { retry: true });
}
