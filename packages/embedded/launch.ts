import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentPlus } from '../../src/config.ts';
import { AppError } from '../../src/errors.ts';
import { MONGO_USER, type ServiceName } from './probe.ts';
import { markOf } from './process.ts';
import type { Running } from './state.ts';
import type { Runtime as Installed } from './venv.ts';

/** The installed programs, the Rust server where the home is of that engine, and the password of the home. */
type Runtime = Installed & { readonly rustEngine: string | null; readonly password: string };

const PYTHON_ENGINE = fileURLToPath(new URL('./python-engine.py', import.meta.url));

/**
 * Starts one service in its own session, so it survives the end of this process and Ctrl-C. Its output
 * goes to `<home>/logs/<name>.log`. It may not be ready yet.
 */
export function launch(home: string, name: ServiceName, port: number, runtime: Runtime): Running {
  const data = join(home, name);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const [program, args] =
    name === 'mongo' ? mongoCommand(home, port, runtime) : redisCommand(data, port, runtime);
  mkdirSync(join(home, 'logs'), { recursive: true, mode: 0o700 });
  const log = openSync(logPath(home, name), 'a');
  try {
    // The server looks for configuration files in its working directory.
    const child = spawn(program, args, {
      cwd: data,
      detached: true,
      env: environmentPlus({ MONGO_USER, MONGO_PASSWORD: runtime.password }),
      stdio: ['pipe', log, log],
    });
    child.on('error', () => undefined);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(name === 'mongo' ? '' : `requirepass ${runtime.password}\n`);
    child.unref();
    if (child.pid === undefined) throw new AppError('service_start', `cannot run ${program}`);
    return { pid: child.pid, start: markOf(child.pid)?.start ?? 'gone', port };
  } finally {
    closeSync(log);
  }
}

function logPath(home: string, name: ServiceName): string {
  return join(home, 'logs', `${name}.log`);
}

/** The end of a service's log, for the message about a failed start. */
export function logTail(home: string, name: ServiceName): string {
  try {
    return readFileSync(logPath(home, name), 'utf8').trimEnd().split('\n').slice(-5).join('\n');
  } catch {
    return '(no log)';
  }
}

/**
 * The Python engine journals only on request: a write with `w: majority` alone in the last 200 ms before a
 * kill -9 was lost in 7 of 8 tries, with `j: true` in none (see `src/mongo.ts`). The Rust engine does not
 * heed `j: true`, so it journals each write. The empty configuration file keeps the server from searching
 * for one in the user's home and in /etc.
 */
function mongoCommand(home: string, port: number, { python, rustEngine }: Runtime): [string, string[]] {
  const configuration = join(home, 'secantusd.toml');
  writeFileSync(configuration, '');
  const options = [
    ...['--config', configuration, '--host', '127.0.0.1', '--port', String(port)],
    ...['--storage-path', join(home, 'mongo'), '--cache-size', '512M', '--auth'],
  ];
  return rustEngine === null
    ? [python, [PYTHON_ENGINE, ...options]]
    : [rustEngine, [...options, '--sync-on-commit']];
}

/** Full, it refuses; without an end the kernel would kill it, or MongoDB, first. */
const MAX_REDIS_MEMORY = '512mb';

/**
 * AOF and `noeviction`, as in docker-compose.yml. The check at start refuses any other policy. It reads the
 * password from its standard input (`-`): the arguments of a process are visible to every user.
 */
function redisCommand(data: string, port: number, runtime: Runtime): [string, string[]] {
  return [
    runtime.redisServer,
    [
      ...['-', '--port', String(port), '--bind', '127.0.0.1', '--dir', data],
      ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''],
      ...['--maxmemory', MAX_REDIS_MEMORY, '--maxmemory-policy', 'noeviction', '--daemonize', 'no'],
    ],
  ];
}
