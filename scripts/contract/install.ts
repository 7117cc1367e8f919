import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../src/errors.ts';
import { runProgram, TOOLS } from './program.ts';

/** Installs Redocly and the generator of the client from the lockfile of tools/. */
export async function installTools(): Promise<void> {
  if (existsSync(join(TOOLS, 'node_modules', '.bin', 'redocly'))) return;
  console.error('Installing tools/ with npm ci …');
  const code = await runProgram('npm', ['ci', '--no-audit', '--no-fund']);
  if (code !== 0) throw new AppError('tools_install', 'npm ci failed in tools/.');
}
