import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedSecret } from '../config.ts';

/** False for a home without services, and for one of a release whose services asked for no password. */
export function hasPassword(home: string): boolean {
  return existsSync(passwordPath(home));
}

/**
 * The password of MongoDB and Redis of a home: made once, readable by its user alone. Other users of the
 * machine reach the ports, and whoever may write to the Redis of the credits owns the balances.
 */
export function passwordOf(home: string): string {
  const path = passwordPath(home);
  if (!hasPassword(home)) {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    // On the disk before MongoDB has it: a lost password would be lost data.
    writeFileSync(path, `${generatedSecret()}\n`, { mode: 0o600, flush: true });
  }
  return readFileSync(path, 'utf8').trim();
}

function passwordPath(home: string): string {
  return join(home, 'password');
}
