import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The name under which a process holds a lock: `hostname|PID namespace|boot id|pid|uuid`. */
export function ownerOf(pid: number): string {
  return `${pidsSeenHere() ?? `${hostname()}||`}|${pid}|${randomUUID()}`;
}

/**
 * Whether the owner was a process among those that this one sees, and runs no more. False when nobody here can
 * tell: of another machine or container.
 */
export function hasEnded(owner: string): boolean {
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
