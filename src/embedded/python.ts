import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { UsageError } from '../errors.ts';

const run = promisify(execFile);
const NAMES = ['python3', 'python', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];
const OLDEST_MINOR = 10;
/** The newest Python for which the pinned packages are published as wheels. */
const NEWEST_WHEEL_MINOR = 13;

/**
 * The Python for the venv: 3.10 or newer, preferably one with published wheels. Throws a UsageError of one
 * line when there is none on PATH.
 */
export async function findPython(): Promise<string> {
  const seen: string[] = [];
  let newer: string | null = null;
  for (const name of NAMES) {
    const version = await versionOf(name);
    if (version === null) continue;
    seen.push(`${name} is ${version.major}.${version.minor}`);
    if (version.major !== 3 || version.minor < OLDEST_MINOR) continue;
    if (version.minor <= NEWEST_WHEEL_MINOR) return name;
    newer ??= name;
  }
  if (newer !== null) return newer;
  const found = seen.length > 0 ? `only ${seen.join(', ')}` : 'no Python';
  throw new UsageError(
    `Python 3.10 or newer is needed for the embedded MongoDB and Redis; on PATH there is ${found}. ` +
      'Install it, or set MONGO_URL, CREDITS_REDIS_URL and QUEUE_REDIS_URL.',
  );
}

async function versionOf(name: string): Promise<{ major: number; minor: number } | null> {
  try {
    const { stdout } = await run(
      name,
      ['-c', 'import sys; print(sys.version_info[0], sys.version_info[1])'],
      {
        timeout: 10_000,
      },
    );
    const [major, minor] = stdout.trim().split(' ').map(Number);
    return major === undefined || minor === undefined ? null : { major, minor };
  } catch {
    return null;
  }
}
