import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { environmentPlus } from '../config.ts';
import { AppError } from '../errors.ts';
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
/** The first start may pull images. */
const UP_LIMIT_MS = 10 * 60_000;

/** A daemon answers and the compose plugin is installed. */
export async function dockerReachable(): Promise<boolean> {
  try {
    await run('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: 5_000 });
    await run('docker', ['compose', 'version'], { timeout: 5_000 });
    return true;
  } catch {
    return false;
  }
}

/** Starts the named services of docker-compose.yml in a project of this home, and reads their ports. */
export function openDocker(
  home: string,
  names: readonly ServiceName[],
  { report }: { readonly report: (line: string) => void },
) {
  const start = async (): Promise<OpenedServices['urls']> => {
    await up(home, names, report);
    const ports = await Promise.all(names.map((name) => publishedPort(home, name)));
    return Object.fromEntries(names.map((name, i) => [name, urlOf(name, ports[i] ?? 0, passwordOf(home))]));
  };
  return openLeased(home, { limitMs: UP_LIMIT_MS, start, stop: () => stop(home) });
}

async function up(home: string, names: readonly ServiceName[], report: (line: string) => void) {
  const services = names.map((name) => CONTAINER[name].service);
  const running = (await compose(home, 'ps', '--services', '--status', 'running')).split('\n');
  const found = services.every((service) => running.includes(service));
  if (!found) report('Starting MongoDB and Redis with docker compose …');
  await compose(home, 'up', '-d', '--wait', ...services);
  const before = readState(home);
  writeState(home, { ...before, kind: 'docker', startedByUs: before.startedByUs === true || !found });
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
    const lastLine = (cause as { stderr?: string }).stderr?.trim().split('\n').at(-1) ?? String(cause);
    throw new AppError('service_start', `docker compose ${args[0]} failed: ${lastLine}`, { cause });
  }
}
