import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { AppError } from '../../errors.ts';
import { insertOrLose } from '../mongo/write.ts';

/** The process that migrates the home. `beat` rises while it works. */
type LockDoc = { _id: string; value: string; beat: number };

const ID = 'store_migration';

const lockIn = (db: Db) => db.collection<LockDoc>('settings');

export type Timing = {
  readonly lookMs: number;
  /** A holder without a beat for this long is dead. */
  readonly staleMs: number;
};

const TIMING: Timing = { lookMs: 500, staleMs: 15_000 };

/** Throws `migration_lost` (retryable) when another process has taken the lock over. */
export type Beat = () => Promise<void>;

type Task = { readonly isDone: () => Promise<boolean>; readonly work: (beat: Beat) => Promise<void> };

/**
 * Runs `work` in one process; the others wait until `isDone`. When that process dies, another one
 * takes over and repeats the work.
 */
export async function underLock(db: Db, task: Task, timing: Timing = TIMING): Promise<void> {
  const owner = randomUUID();
  let seen: LockDoc | null = null;
  let unchangedMs = 0;
  while (!(await task.isDone())) {
    const lock = await lockIn(db).findOne({ _id: ID });
    unchangedMs = lock?.value === seen?.value && lock?.beat === seen?.beat ? unchangedMs + timing.lookMs : 0;
    seen = lock;
    if (await acquire(db, owner, { lock, isStale: unchangedMs > timing.staleMs })) {
      await hold(db, owner, { task, timing });
    } else await wait(timing.lookMs);
  }
}

type Seen = { readonly lock: LockDoc | null; readonly isStale: boolean };

async function acquire(db: Db, owner: string, { lock, isStale }: Seen): Promise<boolean> {
  if (lock === null) return insertOrLose(lockIn(db), { _id: ID, value: owner, beat: 0 });
  if (!isStale) return false;
  const dead = { _id: lock._id, value: lock.value, beat: lock.beat };
  return (await lockIn(db).updateOne(dead, { $set: { value: owner } })).matchedCount === 1;
}

async function hold(
  db: Db,
  owner: string,
  { task, timing }: { readonly task: Task; readonly timing: Timing },
): Promise<void> {
  const beat = async (): Promise<void> => {
    const kept = await lockIn(db).updateOne({ _id: ID, value: owner }, { $inc: { beat: 1 } });
    if (kept.matchedCount === 1) return;
    throw new AppError('migration_lost', 'another process migrates the home', { retry: true });
  };
  const timer = setInterval(() => void beat().catch(() => undefined), timing.staleMs / 5);
  try {
    // The last holder may have finished between the look and the lock.
    if (!(await task.isDone())) await task.work(beat);
  } finally {
    clearInterval(timer);
    await lockIn(db).deleteOne({ _id: ID, value: owner });
  }
}
