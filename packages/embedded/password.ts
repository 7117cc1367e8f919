import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedSecret } from '../../src/config.ts';

/** The files of a home that hold its secrets. */
const FILES = { services: 'password', board: 'board-password' } as const;

/**
 * The password of MongoDB and Redis of a home, or of its Bull Board: made once, readable by its user alone.
 * Other users of the machine reach the ports, and whoever may write to the Redis of the credits owns the
 * balances.
 */
export function passwordOf(home: string, of: keyof typeof FILES = 'services'): string {
  const path = passwordPath(home, of);
  if (!existsSync(path)) {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    // On the disk before MongoDB has it: a lost password would be lost data.
    writeFileSync(path, `${generatedSecret()}\n`, { mode: 0o600, flush: true });
  }
  return readFileSync(path, 'utf8').trim();
}

/** Where {@link passwordOf} keeps it. */
export function passwordPath(home: string, of: keyof typeof FILES): string {
  return join(home, FILES[of]);
}
