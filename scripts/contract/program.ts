import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from '../../packages/embedded/lock.ts';
import { findPython } from '../../packages/embedded/python.ts';
import { AppError } from '../../src/errors.ts';

export const TOOLS = fileURLToPath(new URL('../../tools/', import.meta.url));

type Place = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Shows only what the program writes to stderr. */
  readonly isQuiet?: boolean;
};

/** Runs a program in tools/ and shows its output. Returns the exit code, 1 when it could not run. */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd = TOOLS, env = {}, isQuiet = false }: Place = {},
): Promise<number> {
  return new Promise((settle) => {
    const child = spawn(program, args, {
      cwd,
      stdio: ['ignore', isQuiet ? 'ignore' : 'inherit', 'inherit'],
      env: { ...process.env, ...env },
    });
    child.on('error', (error) => {
      console.error(`${program}: ${error.message}`);
      settle(1);
    });
    child.on('close', (code) => settle(code ?? 1));
  });
}

/** Installs Redocly and the generator of the client from the lockfile of tools/. */
export async function installTools(): Promise<void> {
  if (existsSync(join(TOOLS, 'node_modules', '.bin', 'redocly'))) return;
  console.error('Installing tools/ with npm ci …');
  const code = await runProgram('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  if (code !== 0) throw new AppError('tools_install', 'npm ci failed in tools/.');
}

const LIMIT_MS = 15 * 60_000;

/**
 * The folder with the programs of a venv in `.tidemark/<name>-venv`. Installs it when it has not exactly
 * these pinned requirements.
 * @param what is installed, for the messages
 */
export async function pythonVenv(name: string, requirements: string, what: string): Promise<string> {
  const venv = fileURLToPath(new URL(`../../.tidemark/${name}-venv`, import.meta.url));
  const installed = join(venv, 'requirements.txt');
  const bin = join(venv, 'bin');
  const wanted = readFileSync(requirements, 'utf8');
  await withLock(`${venv}.lock`, LIMIT_MS, async () => {
    const isThere = existsSync(installed) && existsSync(join(bin, 'python'));
    if (isThere && readFileSync(installed, 'utf8') === wanted) return;
    console.error(`Installing ${what} into .tidemark/${name}-venv (first run only) …`);
    rmSync(venv, { recursive: true, force: true });
    await makeVenv(venv, requirements, what);
    writeFileSync(installed, wanted);
  });
  return bin;
}

/** Makes a venv in the folder with exactly these pinned requirements. Returns the folder of its programs. */
export async function makeVenv(folder: string, requirements: string, what: string): Promise<string> {
  const bin = join(folder, 'bin');
  const made = await runProgram(await findPython(), ['-m', 'venv', folder]);
  const quiet = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  const pip = [...quiet, '--require-hashes', '-r', requirements];
  const code = made === 0 ? await runProgram(join(bin, 'python'), pip) : made;
  if (code !== 0) throw new AppError('tools_install', `pip could not install ${what}.`);
  return bin;
}
