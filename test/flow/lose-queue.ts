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
