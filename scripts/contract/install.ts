import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from '../../src/embedded/lock.ts';
import { findPython } from '../../src/embedded/python.ts';
import { AppError } from '../../src/errors.ts';
import { runProgram, TOOLS } from './program.ts';

const VENV = fileURLToPath(new URL('../../.tidemark/contract-venv', import.meta.url));
const READY = join(VENV, 'requirements.txt');
const REQUIREMENTS = join(TOOLS, 'requirements.txt');
const LIMIT_MS = 15 * 60_000;

/** Redocly and the generator of the client, from the lockfile of tools/. */
export async function installTools(): Promise<void> {
  if (existsSync(join(TOOLS, 'node_modules', '.bin', 'redocly'))) return;
  console.error('Installing tools/ with npm ci …');
  const code = await runProgram('npm', ['ci', '--no-audit', '--no-fund']);
  if (code !== 0) throw new AppError('tools_install', 'npm ci failed in tools/.');
}

/** The `st` program of a venv of its own, made when the pinned requirements are not in it. */
export async function installSchemathesis(): Promise<string> {
  const program = join(VENV, 'bin', 'st');
  const wanted = readFileSync(REQUIREMENTS, 'utf8');
  await withLock(`${VENV}.lock`, LIMIT_MS, async () => {
    if (existsSync(READY) && existsSync(program) && readFileSync(READY, 'utf8') === wanted) return;
    console.error('Installing Schemathesis into .tidemark/contract-venv (first run only) …');
    rmSync(VENV, { recursive: true, force: true });
    const python = await findPython();
    const made = await runProgram(python, ['-m', 'venv', VENV]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', REQUIREMENTS];
    const installed = made === 0 ? await runProgram(join(VENV, 'bin', 'python'), pip) : made;
    if (installed !== 0) throw new AppError('tools_install', 'pip could not install Schemathesis.');
    writeFileSync(READY, wanted);
  });
  return program;
}
