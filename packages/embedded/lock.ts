import { linkSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../../src/errors.ts';
import { readJson } from './json-file.ts';
import { isAlive, ownMark, processMark } from './process.ts';
import { waitUntil } from './wait.ts';

const STEAL_LIMIT_MS = 10_000;
let count = 0;

/**
 * Runs `work` while no other process, and no other call of this process, holds `path`. The lock of an
 * ended process is taken over. Throws a UsageError with the holder when it is not free in `limitMs`.
 */
export async function withLock<T>(path: string, limitMs: number, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const isTaken = (): boolean => {
    if (take(path)) return true;
    takeOverWhenDead(path);
    return false;
  };
  if (!(await waitUntil(isTaken, limitMs))) {
    const pid = processMark.safeParse(readJson(path)).data?.pid;
    const holder = pid === undefined ? 'another process' : `process ${pid}`;
    throw new UsageError(`${path} is held by ${holder} for too long`);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** link(2) creates the file with its content, so no process reads a half-written holder. */
function take(path: string): boolean {
  count += 1;
  const own = `${path}.${process.pid}.${count}`;
  writeFileSync(own, JSON.stringify(ownMark()));
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** One process at a time: two that see the same dead holder must not remove each other's new lock. */
function takeOverWhenDead(path: string): void {
  if (!holderIsDead(path)) return;
  const guard = `${path}.takeover`;
  if (!take(guard)) {
    if (olderThan(guard, STEAL_LIMIT_MS)) rmSync(guard, { force: true });
    return;
  }
  try {
    if (holderIsDead(path)) rmSync(path, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Also for a lock without a readable holder: the machine stopped while it was written. */
function holderIsDead(path: string): boolean {
  const content = readJson(path);
  if (content === undefined) return false;
  const holder = processMark.safeParse(content).data;
  return holder === undefined || !isAlive(holder);
}

function olderThan(path: string, ageMs: number): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > ageMs;
  } catch {
    return false;
  }
}
