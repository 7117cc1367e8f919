import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { AppError } from '../../errors.ts';
import { insertOrLose } from './write.ts';

/** The process that does a task. `beat` rises while it works. */
type LockDoc = { _id: string; value: string; beat: number };

const lockIn = (db: Db) => db.collection<LockDoc>('settings');

export type Timing = {
  readonly lookMs: number;
  /** A holder without a beat for this long is dead. */
  readonly staleMs: number;
};

const TIMING: Timing = { lookMs: 500, staleMs: 15_000 };

const LOST = 'lock_lost';

/** Throws `lock_lost` when this process was taken for dead and another one has, or had, the lock: `work` is to end. */
export type Beat = () => Promise<void>;

/**
 * Who had the lock before. `alive`: another process that was seen at work, because its beat rose, it gave the lock
 * back or it took the lock from this one. `dead`: one of which only the lock was seen.
 */
export type Predecessor = 'none' | 'alive' | 'dead';

/** What only one process may do at a time. */
export type Task = {
  readonly id: string;
  /** Nothing is left to do, or not by this process. */
  readonly isOver: () => Promise<boolean>;
  /** Repeatable: it runs again after a process that died, or that was silent until another one took its lock. */
  readonly work: (beat: Beat, predecessor: Predecessor) => Promise<void>;
  /** Called when another process is at it, and again after that one took the lock from this one. */
  readonly onWait?: () => void;
};

/**
 * Runs `work` in one process; the others wait until `isOver`, or for the lock. When that process dies, another one
 * takes over and repeats the work: at once where it is seen that it ended, else when it was silent for long enough. A
 * process that was only silent (suspended, or on a machine that is too busy) learns it by its next beat, and begins
 * again: it waits for the other one, or takes the lock when nobody has it any more.
 */
export async function underLock(db: Db, task: Task, timing: Timing = TIMING): Promise<void> {
  const owner = ownerOf(process.pid);
  let wasLost = false;
  for (;;) {
    const before = await takeLock(db, owner, { task, timing });
    if (before === null) return;
    if (await hold(db, owner, { task, timing, predecessor: wasLost ? 'alive' : before })) return;
    wasLost = true;
  }
}

type Wanted = { readonly task: Task; readonly timing: Timing };

/** Waits for the lock and takes it. Null when the task is over. */
async function takeLock(db: Db, owner: string, { task, timing }: Wanted): Promise<Predecessor | null> {
  let seen: LockDoc | null = null;
  let unchangedMs = 0;
  let waits = 0;
  let predecessor: Predecessor = 'none';
  while (!(await task.isOver())) {
    const lock = await lockIn(db).findOne({ _id: task.id });
    const isSame = sameBeat(lock, seen);
    unchangedMs = isSame ? unchangedMs + timing.lookMs : 0;
    if (waits > 0 && !isSame) predecessor = 'alive';
    else if (lock !== null && predecessor === 'none') predecessor = 'dead';
    seen = lock;
    const isStale = unchangedMs > timing.staleMs || (lock !== null && hasEnded(lock.value));
    if (await acquire(db, { id: task.id, owner, lock, isStale })) return predecessor;
    if (waits === 0) task.onWait?.();
    waits += 1;
    await wait(timing.lookMs);
  }
  return null;
}

function sameBeat(a: LockDoc | null, b: LockDoc | null): boolean {
  return a?.value === b?.value && a?.beat === b?.beat;
}

type Seen = {
  readonly id: string;
  readonly owner: string;
  readonly lock: LockDoc | null;
  readonly isStale: boolean;
};

async function acquire(db: Db, { id, owner, lock, isStale }: Seen): Promise<boolean> {
  if (lock === null) return insertOrLose(lockIn(db), { _id: id, value: owner, beat: 0 });
  if (!isStale) return false;
  const dead = { _id: id, value: lock.value, beat: lock.beat };
  return (await lockIn(db).updateOne(dead, { $set: { value: owner } })).matchedCount === 1;
}

type Held = Wanted & { readonly predecessor: Predecessor };

/** Does the work with a lock that this process has. False when it lost the lock during the work. */
async function hold(db: Db, owner: string, { task, timing, predecessor }: Held): Promise<boolean> {
  const held = { _id: task.id, value: owner };
  const beat = async (): Promise<void> => {
    const kept = await lockIn(db).updateOne(held, { $inc: { beat: 1 } });
    if (kept.matchedCount === 1) return;
    throw new AppError(LOST, `another process took ${task.id} over`, { retry: true });
  };
  const timer = setInterval(() => void beat().catch(() => undefined), timing.staleMs / 5);
  try {
    // The last holder may have finished between the look and the lock.
    if (!(await task.isOver())) await task.work(beat, predecessor);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === LOST) return false;
    throw error;
  } finally {
    clearInterval(timer);
    await lockIn(db).deleteOne(held);
  }
}

/** The name under which a process holds a lock: `hostname|PID namespace|boot id|pid|uuid`. */
export function ownerOf(pid: number): string {
  return `${pidsSeenHere() ?? `${hostname()}||`}|${pid}|${randomUUID()}`;
}

/**
 * Whether the owner was a process among those that this one sees, and runs no more. False when nobody here can
 * tell: of another machine or container.
 */
function hasEnded(owner: string): boolean {
  const here = pidsSeenHere();
  if (here === null || !owner.startsWith(`${here}|`)) return false;
  const [pid = ''] = owner.slice(here.length + 1).split('|');
  if (!/^\d+$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/**
 * Where a pid means the same process: containers may share a host name, machines the number of a namespace, and
 * copies of a machine both. Null where the system does not say (no Linux).
 */
function pidsSeenHere(): string | null {
  try {
    const namespace = readlinkSync('/proc/self/ns/pid');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()}|${namespace}|${boot}`;
  } catch {
    return null;
  }
}
