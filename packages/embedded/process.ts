import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { waitUntil } from './wait.ts';

/** After a crash another process may have the same pid; pid and start time together are unique. */
export const processMark = z.object({ pid: z.number().int().positive(), start: z.string().min(1) });
export type ProcessMark = z.infer<typeof processMark>;

export function ownMark(): ProcessMark {
  return markOf(process.pid) ?? { pid: process.pid, start: 'unknown' };
}

/** Null when no such process runs. A zombie counts as ended: it holds no port. */
export function markOf(pid: number): ProcessMark | null {
  const start = existsSync('/proc/self/stat') ? startFromProc(pid) : startFromPs(pid);
  return start === null ? null : { pid, start };
}

export function isAlive(mark: ProcessMark): boolean {
  const now = markOf(mark.pid);
  return now !== null && (mark.start === 'unknown' || now.start === mark.start);
}

/** Sends SIGTERM, then SIGKILL when the process still runs after `limitMs`. Returns when it has ended. */
export async function stopProcess(mark: ProcessMark, limitMs: number): Promise<void> {
  signal(mark, 'SIGTERM');
  if (await goneWithin(mark, limitMs)) return;
  signal(mark, 'SIGKILL');
  await goneWithin(mark, 5_000);
}

/** For processes whose data is no longer needed. */
export async function killProcess(mark: ProcessMark): Promise<void> {
  signal(mark, 'SIGKILL');
  await goneWithin(mark, 5_000);
}

function goneWithin(mark: ProcessMark, limitMs: number): Promise<boolean> {
  return waitUntil(() => !isAlive(mark), limitMs);
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
