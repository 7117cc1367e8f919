import type { Redis } from 'ioredis';
import type { Flow } from './flow.ts';

/** In one step, as a Redis is lost: a job that is added between a list of keys and its removal would be half there. */
const LOSE_KEYS = `
  local keys = redis.call('KEYS', ARGV[1])
  for _, key in ipairs(keys) do redis.call('DEL', key) end
  return #keys`;

/** Removes every key of this world's queues: waiting, running, delayed and failed jobs alike. Returns how many. */
export function loseQueue({ world }: Flow, redis: Redis): Promise<number> {
  return redis.eval(LOSE_KEYS, 0, `{${world.config.queuePrefix}}:*`) as Promise<number>;
}

const DELETE_LOCKS = `
  for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end`;

/**
 * As if the locks of a worker that died had run out, which takes up to half a minute. Only while no other worker
 * of this world runs.
 */
export async function expireLocks({ world }: Flow, redis: Redis): Promise<void> {
  await redis.eval(DELETE_LOCKS, 0, `{${world.config.queuePrefix}}:*:lock`);
}
