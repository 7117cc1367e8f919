import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, ownMark, processMark } from './process.ts';

let count = 0;

/**
 * Says "this process uses the services of this home". Returns how to take it back. Call under the
 * home's lock, so that nobody stops the services between the count and the lease.
 */
export function takeLease(home: string): () => void {
  const folder = join(home, 'leases');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  count += 1;
  const path = join(folder, `${process.pid}-${count}`);
  writeFileSync(path, JSON.stringify(ownMark()));
  return () => rmSync(path, { force: true });
}

/** How many living holders there are. Leases of processes that died without a word are removed. */
export function liveLeases(home: string): number {
  const folder = join(home, 'leases');
  return names(folder).filter((name) => {
    const live = isLive(join(folder, name));
    if (!live) rmSync(join(folder, name), { force: true });
    return live;
  }).length;
}

function isLive(path: string): boolean {
  try {
    const holder = processMark.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return holder.success && isAlive(holder.data);
  } catch {
    return false;
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
