import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { environmentPlus } from '../../src/config.ts';
import { AppError, UsageError } from '../../src/errors.ts';
import { findOnPath } from './engine.ts';
import { type OpenedServices, openLeased } from './lease.ts';
import { passwordOf } from './password.ts';
import { type ServiceName, urlOf } from './probe.ts';
import { readState, writeState } from './state.ts';

const run = promisify(execFile);
/** In the root of the project. */
export const COMPOSE_FILES = ['docker-compose.yml', 'docker-compose.local.yml'] as const;
const FILES = COMPOSE_FILES.flatMap((name) => [
  '-f',
  fileURLToPath(new URL(`../../${name}`, import.meta.url)),
]);
export const CONTAINER: Record<ServiceName, { readonly service: string; readonly port: number }> = {
  mongo: { service: 'mongo', port: 27017 },
  credits: { service: 'redis-credits', port: 6379 },
  queue: { service: 'redis-queue', port: 6379 },
};
/** Exit code of a program that Ctrl-C ended. */
const INTERRUPTED = 130;
const ANSWER_LIMIT_MS = 5_000;
/** The first start may pull images. */
const UP_LIMIT_MS = 10 * 60_000;

/**
 * What `open` starts with Docker; null where Docker is not installed, or cannot be used for a reason that is reported.
 * @param because why it must be Docker; then the reason is a UsageError
 */
export async function preferDocker<T>(
  because: string | null,
  report: (line: string) => void,
  open: () => Promise<T>,
): Promise<T | null> {
  let problem = await dockerProblem();
  if (problem === null) {
    try {
      return await open();
    } catch (error) {
      if (error instanceof UsageError) throw error;
      problem = (error instanceof Error ? error.message : String(error)).trim().replace(/\s+/g, ' ');
    }
  }
  if (because !== null) throw new UsageError(`${because}, and ${problem}.`);
  if (findOnPath('docker') !== null)
    report(`Docker is not used: ${problem}. The embedded MongoDB and Redis serve instead.`);
  return null;
}

/** Null where a daemon answers and the compose plugin is installed. */
async function dockerProblem(): Promise<string | null> {
  if (findOnPath('docker') === null) return 'docker is not on PATH';
  try {
    await run('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: ANSWER_LIMIT_MS });
  } catch (error) {
    return `no Docker daemon answers (${lastLine(error)})`;
  }
  try {
    await run('docker', ['compose', 'version'], { timeout: ANSWER_LIMIT_MS });
    return null;
  } catch {
    return 'Docker has no compose plugin';
  }
}

/** Starts the named services of docker-compose.yml in a project of this home, and reads their ports. */
export function openDocker(
  home: string,
  names: readonly ServiceName[],
  { report }: { readonly report: (line: string) => void },
) {
  const start = async (): Promise<OpenedServices['urls']> => {
    const before = readState(home);
    try {
      const found = await up(home, names, report);
      const ports = await Promise.all(names.map((name) => publishedPort(home, name)));
      writeState(home, { ...before, kind: 'docker', startedByUs: before.startedByUs === true || !found });
      return Object.fromEntries(names.map((name, i) => [name, urlOf(name, ports[i] ?? 0, passwordOf(home))]));
    } catch (error) {
      // A home without data may become an embedded one. Volumes stay: a lost home at this path may have filled them.
      if (before.kind === undefined) await compose(home, 'down', '--timeout', '5').catch(() => undefined);
      throw error;
    }
  };
  return openLeased(home, { kind: 'docker', limitMs: UP_LIMIT_MS, start, stop: () => stop(home) });
}

/** True when they ran already. */
async function up(
  home: string,
  names: readonly ServiceName[],
  report: (line: string) => void,
): Promise<boolean> {
  const services = names.map((name) => CONTAINER[name].service);
  const running = (await compose(home, 'ps', '--services', '--status', 'running')).split('\n');
  const found = services.every((service) => running.includes(service));
  if (!found) report('Starting MongoDB and Redis with docker compose; the first start pulls their images …');
  await compose(home, 'up', '-d', '--wait', ...services);
  return found;
}

async function stop(home: string): Promise<void> {
  const state = readState(home);
  if (state.startedByUs !== true) return;
  await compose(home, 'stop', ...Object.values(CONTAINER).map(({ service }) => service));
  writeState(home, { ...state, startedByUs: false });
}

async function publishedPort(home: string, name: ServiceName): Promise<number> {
  const { service, port } = CONTAINER[name];
  const line = (await compose(home, 'port', service, String(port))).trim();
  const published = Number(line.slice(line.lastIndexOf(':') + 1));
  if (Number.isInteger(published) && published > 0) return published;
  throw new AppError(
    'service_start',
    `docker compose published no port for ${service} (its output was "${line}")`,
  );
}

/** One compose project per home, so two homes can run at the same time. */
async function compose(home: string, ...args: string[]): Promise<string> {
  const project = `tidemark-${createHash('sha256').update(home).digest('hex').slice(0, 8)}`;
  try {
    const password = passwordOf(home);
    const done = await run('docker', ['compose', ...FILES, '-p', project, ...args], {
      timeout: UP_LIMIT_MS,
      env: environmentPlus({ MONGO_PASSWORD: password, REDIS_PASSWORD: password }),
    });
    return done.stdout;
  } catch (cause) {
    // Ctrl-C reaches it through the terminal.
    if ((cause as { code?: unknown }).code === INTERRUPTED) throw new UsageError('Interrupted.');
    throw new AppError('service_start', `docker compose ${args[0]} failed: ${lastLine(cause)}`, { cause });
  }
}

/** What a program that failed said last. */
function lastLine(error: unknown): string {
  const { killed, stderr = '' } = error as { readonly killed?: boolean; readonly stderr?: string };
  if (killed === true) return 'no answer in time';
  return stderr.trim().split('\n').at(-1) || String(error);
}
