import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from '../../src/embedded/lock.ts';
import { findPython } from '../../src/embedded/python.ts';
import { AppError } from '../../src/errors.ts';
import { runProgram, TOOLS } from '../contract/program.ts';

export const READERS = join(TOOLS, 'second-opinion');
const REQUIREMENTS = join(READERS, 'requirements.txt');
const VENV = fileURLToPath(new URL('../../.tidemark/second-opinion-venv', import.meta.url));
const READY = join(VENV, 'requirements.txt');
const LIMIT_MS = 15 * 60_000;

/** The Python of a venv of its own with the other readers, made when the pinned ones are not in it. */
export async function installReaders(): Promise<string> {
  const python = join(VENV, 'bin', 'python');
  const wanted = readFileSync(REQUIREMENTS, 'utf8');
  await withLock(`${VENV}.lock`, LIMIT_MS, async () => {
    if (existsSync(READY) && existsSync(python) && readFileSync(READY, 'utf8') === wanted) return;
    console.error('Installing lxml and edgartools into .tidemark/second-opinion-venv (first run only) …');
    rmSync(VENV, { recursive: true, force: true });
    const made = await runProgram(await findPython(), ['-m', 'venv', VENV]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', REQUIREMENTS];
    const installed = made === 0 ? await runProgram(python, pip) : made;
    if (installed !== 0) throw new AppError('tools_install', 'pip could not install the other readers.');
    writeFileSync(READY, wanted);
  });
  return python;
}
