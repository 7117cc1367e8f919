import type { Db } from 'mongodb';
import { type HeartbeatDoc, heartbeats } from '../../store/process/heartbeats.ts';

/**
 * Older than this and the process hangs, is stopped or was killed: one that computes beats all the same. With the
 * seconds for which a status is kept it is below a minute.
 */
const STALE_MS = 50_000;

export type ProcessHealth = HeartbeatDoc & {
  /** The groups of queues that a worker serves; empty for the others. */
  readonly queues: string[];
  readonly ageSeconds: number;
  /** It beats; it may have problems all the same. */
  readonly isAlive: boolean;
  readonly isReady: boolean;
};

/** All processes, ready or not, with the reason. */
export async function processHealth(db: Db, now: () => Date): Promise<ProcessHealth[]> {
  return (await heartbeats(db)).map((beat) => {
    const ageMs = now().getTime() - beat.at.getTime();
    const ageSeconds = Math.max(0, Math.round(ageMs / 1_000));
    const isAlive = ageMs <= STALE_MS;
    const problems = isAlive ? beat.problems : [`no heartbeat for ${ageSeconds} s`, ...beat.problems];
    const queues = beat.about.split(', ').filter((group) => group !== '');
    return { ...beat, queues, problems, ageSeconds, isAlive, isReady: problems.length === 0 };
  });
}

/**
 * Without the dead ones in whose place another process has started, as after a crash on a machine that is gone.
 */
export function withoutReplaced(processes: readonly ProcessHealth[]): ProcessHealth[] {
  const isReplaced = (dead: ProcessHealth): boolean =>
    processes.some(
      (other) =>
        other.isAlive &&
        other.role === dead.role &&
        other.about === dead.about &&
        other.startedAt.getTime() > dead.at.getTime(),
    );
  return processes.filter((process) => process.isAlive || !isReplaced(process));
}
