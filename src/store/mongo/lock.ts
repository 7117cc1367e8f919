import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { AppError } from '../../errors.ts';
import { hasEnded, ownerOf } from './lock-owner.ts';
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

/** Throws `lock_lost` (retryable) when another process has taken the lock over. */
export type Beat = () => Promise<void>;

/**
 * Who had the lock before. `alive`: another process that was seen at work, because its beat rose or it gave the lock
 * back. `dead`: one of which only the lock was seen.
 */
export type Predecessor = 'none' | 'alive' | 'dead';

/** What only one process may do at a time. */
export type Task = {
  readonly id: string;
  /** Nothing is left to do, or not by this process. */
  readonly isOver: () => Promise<boolean>;
  readonly work: (beat: Beat, predecessor: Predecessor) => Promise<void>;
  /** Called once when another process is at it. */
  readonly onWait?: () => void;
};

/**
 * Runs `work` in one process; the others wait until `isOver`, or for the lock. When that process dies, another one
 * takes over and repeats the work: at once where it is seen that it ended, else when it was silent for long enough.
 */
export async function underLock(db: Db, task: Task, timing: Timing = TIMING): Promise<void> {
  const owner = ownerOf(process.pid);
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
    if (await acquire(db, { id: task.id, owner, lock, isStale })) {
      return hold(db, owner, { task, timing, predecessor });
    }
    if (waits === 0) task.onWait?.();
    waits += 1;
    await wait(timing.lookMs);
  }
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

type Held = { readonly task: Task; readonly timing: Timing; readonly predecessor: Predecessor };

async function hold(db: Db, owner: string, { task, timing, predecessor }: Held): Promise<void> {
  const held = { _id: task.id, value: owner };
  const beat = async (): Promise<void> => {
    const kept = await lockIn(db).updateOne(held, { $inc: { beat: 1 } });
    if (kept.matchedCount === 1) return;
    throw new AppError('lock_lost', `another process does ${task.id}`, { retry: true });
  };
  const timer = setInterval(() => void beat().catch(() => undefined), timing.staleMs / 5);
  try {
    // The last holder may have finished between the look and the lock.
    if (!(await task.isOver())) await task.work(beat, predecessor);
  } finally {
    clearInterval(timer);
    await lockIn(db).deleteOne(held);
  }
}
