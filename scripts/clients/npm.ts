import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from '../../packages/embedded/lock.ts';
import { AppError } from '../../src/errors.ts';
import { runProgram, TOOLS } from '../contract/program.ts';
import { copyConsumer, environmentOf, runOrThrow, type Service } from './step.ts';

const LOCKED = join(TOOLS, 'clients');
const INSTALLED = fileURLToPath(new URL('../../.tidemark/clients-npm', import.meta.url));
const LIMIT_MS = 15 * 60_000;

/** Calls every method that an agent's host calls, with the command line of the MCP Inspector. */
export function inspector(service: Service, folder: string): Promise<void> {
  return runInstalled('inspector.mjs', service, folder);
}

/** Converts the description as Postman's import does, and sends every request of the collection. */
export async function postman(service: Service, folder: string): Promise<void> {
  const description = await fetch(`${service.origin}/openapi.json`);
  writeFileSync(join(folder, 'openapi.json'), await description.text());
  await runInstalled('postman.mjs', service, folder);
}

/** Runs a program of `consumer/` where the locked packages are installed. */
async function runInstalled(consumer: string, service: Service, folder: string): Promise<void> {
  await installPackages();
  symlinkSync(join(INSTALLED, 'node_modules'), join(folder, 'node_modules'));
  copyConsumer(consumer, folder);
  await runOrThrow(process.execPath, [consumer], { cwd: folder, env: environmentOf(service) });
}

/** Installs other people's clients from npm, unless exactly the locked ones are there. */
function installPackages(): Promise<void> {
  return withLock(`${INSTALLED}.lock`, LIMIT_MS, async () => {
    const lock = 'package-lock.json';
    const wanted = readFileSync(join(LOCKED, lock), 'utf8');
    // npm writes this file when everything is installed.
    const isThere = existsSync(join(INSTALLED, 'node_modules', '.package-lock.json'));
    if (isThere && readFileSync(join(INSTALLED, lock), 'utf8') === wanted) return;
    console.error("Installing other people's clients into .tidemark/clients-npm (first run only) …");
    rmSync(INSTALLED, { recursive: true, force: true });
    mkdirSync(INSTALLED, { recursive: true });
    for (const file of ['package.json', lock]) cpSync(join(LOCKED, file), join(INSTALLED, file));
    const ci = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    const code = await runProgram('npm', ci, { cwd: INSTALLED });
    if (code !== 0) throw new AppError('tools_install', "npm could not install other people's clients.");
  });
}
