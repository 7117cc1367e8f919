import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/** A pid alone may belong to somebody else after a crash; with its start time it names one process. */
export const processMark = z.object({ pid: z.number().int().positive(), start: z.string().min(1) });
export type ProcessMark = z.infer<typeof processMark>;

export function ownMark(): ProcessMark {
  return markOf(process.pid) ?? { pid: process.pid, start: 'unknown' };
}

/** Null when no such process runs. A zombie counts as gone: it serves nobody and holds no port. */
export function markOf(pid: number): ProcessMark | null {
  const start = existsSync('/proc/self/stat') ? startFromProc(pid) : startFromPs(pid);
  return start === null ? null : { pid, start };
}

export function isAlive(mark: ProcessMark): boolean {
  const now = markOf(mark.pid);
  return now !== null && (mark.start === 'unknown' || now.start === mark.start);
}

/** SIGTERM, then SIGKILL when the process is still there after `limitMs`. Returns when it is gone. */
export async function stopProcess(mark: ProcessMark, limitMs: number): Promise<void> {
  signal(mark, 'SIGTERM');
  if (await goneWithin(mark, limitMs)) return;
  signal(mark, 'SIGKILL');
  await goneWithin(mark, 5_000);
}

/** For data that nobody will read again. */
export async function killProcess(mark: ProcessMark): Promise<void> {
  signal(mark, 'SIGKILL');
  await goneWithin(mark, 5_000);
}

async function goneWithin(mark: ProcessMark, limitMs: number): Promise<boolean> {
  const until = Date.now() + limitMs;
  while (isAlive(mark)) {
    if (Date.now() > until) return false;
    await sleep(25);
  }
  return true;
}

function signal(mark: ProcessMark, name: 'SIGTERM' | 'SIGKILL'): void {
  if (!isAlive(mark)) return;
  try {
    process.kill(mark.pid, name);
  } catch (error) {
    // It ended between the check and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** proc(5): the command is in brackets and may hold blanks; state is field 3, start time field 22. */
function startFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function startFromPs(pid: number): string | null {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [state = 'Z', ...start] = line.split(/\s+/);
    return state.startsWith('Z') ? null : start.join(' ');
  } catch {
    return null;
  }
}
