import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from './json-file.ts';
import { isAlive, ownMark, processMark } from './process.ts';

let count = 0;

/**
 * Records that this process uses the services of this home. Returns a function that removes the record.
 * Call it under the home's lock, so that the services are not stopped in between.
 */
export function takeLease(home: string): () => void {
  const folder = join(home, 'leases');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  count += 1;
  const path = join(folder, `${process.pid}-${count}`);
  writeFileSync(path, JSON.stringify(ownMark()));
  return () => rmSync(path, { force: true });
}

/** Counts the leases of living processes. Leases of processes that crashed are removed. */
export function liveLeases(home: string): number {
  const folder = join(home, 'leases');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => {
    const live = isLive(join(folder, name));
    if (!live) rmSync(join(folder, name), { force: true });
    return live;
  }).length;
}

function isLive(path: string): boolean {
  const holder = processMark.safeParse(readJson(path));
  return holder.success && isAlive(holder.data);
}
