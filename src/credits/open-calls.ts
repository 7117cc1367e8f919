import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { type RedisKeys, removeUnless } from './redis-keys.ts';

const BEAT_MS = 5_000;
/** An answer that no further charge has reported by then is reported by a beat. */
const REPORT_MS = 200;
/** Answers that one charge reports: the stack of Lua bounds them. */
const MAX_REPORTED = 200;

export type OpenCalls = ReturnType<typeof trackOpenCalls>;

/**
 * The charges of this process whose answer is not sent yet (rule 12.9). `charge.lua` notes each as open; that
 * it was answered goes with a later charge, or with a beat. When the process dies, a sweeper voids what is open.
 */
export function trackOpenCalls(redis: Redis, keys: RedisKeys) {
  const processId = randomBytes(6).toString('hex');
  const answered: string[] = [];
  let beating: NodeJS.Timeout | undefined;
  let reporting: NodeJS.Timeout | undefined;
  const beat = async (): Promise<void> => {
    const reported = answered.splice(0, MAX_REPORTED);
    try {
      // By its own clock: a sweeper looks only whether it changes.
      await redis.zadd(keys.processes, Date.now(), processId);
      if (reported.length > 0) await redis.hdel(keys.openCalls, ...reported);
    } catch (error) {
      answered.push(...reported);
      throw error;
    }
  };
  // While Redis is away nothing is lost: a later one says it.
  const beatUnlessAway = (): void => void beat().catch(() => undefined);
  const report = (): void => {
    reporting = undefined;
    if (answered.length > 0) beatUnlessAway();
  };
  return {
    /** Before the first charge: a process that was never heard of looks dead. */
    async start(): Promise<void> {
      await removeUnless(redis, 'zset', keys.processes);
      await beat();
      beating = setInterval(beatUnlessAway, BEAT_MS).unref();
    },
    nameOf: (attemptId: string): string => `${processId}|${attemptId}`,
    /** What the next charge reports. It gives back what it could not report. */
    take: (): string[] => answered.splice(0, MAX_REPORTED),
    giveBack: (names: readonly string[]): void => void answered.push(...names),
    /** The answer was handed to the system: the charge stays. */
    answer(attemptId: string): void {
      answered.push(`${processId}|${attemptId}`);
      reporting ??= setTimeout(report, REPORT_MS).unref();
    },
    /** Reports the last answers. A call that is still open is voided when the process is silent for long. */
    async close(): Promise<void> {
      clearInterval(beating);
      clearTimeout(reporting);
      while (answered.length > 0) await beat();
    },
  };
}
