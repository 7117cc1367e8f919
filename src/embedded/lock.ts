import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../errors.ts';
import { isAlive, ownMark, processMark } from './process.ts';

const STEAL_LIMIT_MS = 10_000;
let count = 0;

/**
 * Runs `work` while no other process (and no other call here) holds `path`. A lock whose holder
 * died is taken over. Throws a UsageError naming the holder when it is not free in `limitMs`.
 */
export async function withLock<T>(path: string, limitMs: number, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const until = Date.now() + limitMs;
  while (!take(path)) {
    takeOverWhenDead(path);
    if (Date.now() > until) throw new UsageError(`${path} is held by ${holderOf(path)} for too long`);
    await sleep(50);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** link(2) makes the file appear with its content: nobody ever reads a half-written holder. */
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

/** Two processes that see the same dead holder must not remove each other's fresh lock: one at a time. */
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

function holderIsDead(path: string): boolean {
  const text = read(path);
  if (text === null) return false;
  const holder = processMark.safeParse(parse(text));
  return !holder.success || !isAlive(holder.data);
}

function holderOf(path: string): string {
  const holder = processMark.safeParse(parse(read(path) ?? ''));
  return holder.success ? `process ${holder.data.pid}` : 'another process';
}

function olderThan(path: string, ageMs: number): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > ageMs;
  } catch {
    return false;
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
