import { hostname } from 'node:os';
import type { Db } from 'mongodb';
import type { Logger } from '../log.ts';
import {
  type HeartbeatDoc,
  heartbeats,
  type ProcessRole,
  removeHeartbeat,
  saveHeartbeat,
} from '../store/process/heartbeats.ts';

const BEAT_MS = 10_000;
/** Older than this and the process hangs or was killed: some beats, and a long computation. */
const STALE_MS = 60_000;

/** What a process finds about itself. `wedged` is what only a restart heals. */
export type Judgement = { readonly problems: readonly string[]; readonly wedged?: string };

type Process = {
  readonly role: ProcessRole;
  readonly about?: string;
  readonly judge: () => Promise<Judgement>;
};
type Context = { readonly db: Db; readonly log: Logger; readonly now: () => Date };

/**
 * Writes the heartbeat of this process until it is closed, and ends the process with exit code 1 when it
 * finds itself wedged: its supervisor starts another one. A MongoDB that is away only makes the beat old.
 */
export async function keepHeartbeat(
  { db, log, now }: Context,
  { role, about = '', judge }: Process,
): Promise<{ readonly close: () => Promise<void> }> {
  const own = { role, about, host: hostname(), pid: process.pid, startedAt: now() };
  const _id = `${role}@${own.host}:${own.pid}`;
  const beat = async (): Promise<void> => {
    const { problems, wedged } = await judge();
    if (wedged !== undefined) {
      log.fatal({ wedged }, 'this process is wedged: it ends, to be started again');
      process.exit(1);
    }
    await saveHeartbeat(db, { _id, ...own, at: now(), problems });
  };
  const quietly = (work: () => Promise<void>): Promise<void> =>
    work().catch((err) => log.warn({ err }, 'the heartbeat was not written'));
  let running = quietly(async () => {
    await forgetDead(db);
    await beat();
  });
  await running;
  const timer = setInterval(() => {
    // One at a time: MongoDB may take longer than the interval.
    running = running.then(() => quietly(beat));
  }, BEAT_MS).unref();
  return {
    close: async () => {
      clearInterval(timer);
      await running;
      await quietly(() => removeHeartbeat(db, _id));
    },
  };
}

/** Of processes of this machine that were killed. */
async function forgetDead(db: Db): Promise<void> {
  for (const { _id, host, pid } of await heartbeats(db)) {
    if (host === hostname() && !isRunning(pid)) await removeHeartbeat(db, _id);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export type ProcessHealth = HeartbeatDoc & { readonly ageSeconds: number; readonly isReady: boolean };

/** All processes, ready or not, with the reason. */
export async function processHealth(db: Db, now: () => Date): Promise<ProcessHealth[]> {
  return (await heartbeats(db)).map((beat) => {
    const ageMs = now().getTime() - beat.at.getTime();
    const ageSeconds = Math.max(0, Math.round(ageMs / 1_000));
    const isStale = ageMs > STALE_MS;
    const problems = isStale ? [`no heartbeat for ${ageSeconds} s`, ...beat.problems] : beat.problems;
    return { ...beat, problems, ageSeconds, isReady: problems.length === 0 };
  });
}
