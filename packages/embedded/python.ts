import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { UsageError } from '../../src/errors.ts';

const run = promisify(execFile);
const NAMES = ['python3', 'python', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];
/** The Pythons for which the pinned packages are published as wheels: 3.10 to 3.13. */
const OLDEST_MINOR = 10;
const NEWEST_MINOR = 13;
const VERSION_CODE = 'import sys; print(sys.version_info[0], sys.version_info[1])';

/**
 * The first Python on PATH for which there are wheels. With another one pip would compile a database for minutes,
 * and fail on most machines. Throws a UsageError of one line when there is none.
 */
export async function findPython(): Promise<string> {
  const seen: string[] = [];
  for (const name of NAMES) {
    const version = await versionOf(name);
    if (version === null) continue;
    const [major, minor] = version;
    if (major === 3 && minor >= OLDEST_MINOR && minor <= NEWEST_MINOR) return name;
    seen.push(`${name} is ${major}.${minor}`);
  }
  const found = seen.length > 0 ? `for the Python on PATH (${seen.join(', ')})` : 'without a Python on PATH';
  throw noPairHere(`The embedded MongoDB and Redis cannot be installed ${found}.`);
}

/** For a machine on which the embedded pair cannot be installed: the problem, and what a person can do. */
export function noPairHere(problem: string): UsageError {
  return new UsageError(
    `${problem} Ways out: Python 3.${OLDEST_MINOR} to 3.${NEWEST_MINOR} with venv and pip; Docker; or services of your own in MONGO_URL, CREDITS_REDIS_URL and QUEUE_REDIS_URL.`,
  );
}

/** Null for a name that is not on PATH, and for one that does not answer: a shim of pyenv whose Python is not active. */
async function versionOf(name: string): Promise<readonly [number, number] | null> {
  try {
    const { stdout } = await run(name, ['-c', VERSION_CODE], { timeout: 10_000 });
    const [major, minor] = stdout.trim().split(' ').map(Number);
    return major === undefined || minor === undefined ? null : [major, minor];
  } catch {
    return null;
  }
}
