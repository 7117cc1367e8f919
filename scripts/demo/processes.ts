import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readJson } from '../../packages/embedded/json-file.ts';
import { isAlive, markOf, ownMark, processMark, stopProcess } from '../../packages/embedded/process.ts';
import { waitUntil } from '../../packages/embedded/wait.ts';
import { AppError, UsageError } from '../../src/errors.ts';

const TIDEMARK = fileURLToPath(new URL('../tidemark.mjs', import.meta.url));
/** As `stop_grace_period` in docker-compose.yml: a worker finishes its jobs in 25 s. */
const STOP_LIMIT_MS = 35_000;
const LISTEN_LIMIT_MS = 60_000;

type Environment = Readonly<Record<string, string | undefined>>;

export type DemoProcesses = ReturnType<typeof openProcesses>;

/** The processes of one demo, each `tidemark <command>` with its own log file. */
export function openProcesses(home: string) {
  const running = new Map<string, ChildProcess>();
  let stopping = false;
  let fail: (error: AppError) => void = () => undefined;
  // Rejects when a process ends by itself, with the end of its log.
  const watch = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Avoids an unhandled rejection when no caller waits for it.
  watch.catch(() => undefined);
  mkdirSync(join(home, 'logs'), { recursive: true, mode: 0o700 });
  const start = (name: string, args: readonly string[], env: Environment): number | undefined => {
    // The demo was interrupted before this start.
    if (stopping) return undefined;
    const child = spawnLogged(args, logPath(home, name), env);
    running.set(name, child);
    child.once('exit', (code, signal) => {
      if (stopping) return;
      const how = signal === null ? `exit code ${code}` : signal;
      const message = `tidemark ${args[0]} ended (${how}). The end of its log:\n${tail(home, name)}`;
      fail(new AppError('demo_child', message));
    });
    remember(home, running);
    return child.pid;
  };
  // Resolves when the log of the process says that it listens: another process may answer on the port.
  const listens = (name: string): Promise<void> => Promise.race([untilListening(logPath(home, name)), watch]);
  // Sends SIGTERM to all, and SIGKILL to those that still run after a limit.
  const stop = async (): Promise<void> => {
    stopping = true;
    const marks = [...running.values()].map((child) => markOf(child.pid ?? 0));
    await Promise.all(marks.map((mark) => (mark === null ? undefined : stopProcess(mark, STOP_LIMIT_MS))));
    rmSync(listPath(home), { force: true });
  };
  return { start, listens, watch, stop };
}

/** In its own process group: Ctrl-C reaches only the demo, which then stops the others in order. */
function spawnLogged(args: readonly string[], path: string, env: Environment): ChildProcess {
  const log = openSync(path, 'w');
  try {
    return spawn(process.execPath, [TIDEMARK, ...args], { env, detached: true, stdio: ['ignore', log, log] });
  } finally {
    closeSync(log);
  }
}

/** The log is empty at each start. */
async function untilListening(log: string): Promise<void> {
  const listens = (): boolean => / listens on http/.test(readFileSync(log, 'utf8'));
  if (await waitUntil(listens, LISTEN_LIMIT_MS)) return;
  throw new AppError('demo_child', `Nothing listens after ${LISTEN_LIMIT_MS / 1_000} s: see ${log}`);
}

const list = z.object({ demo: processMark, processes: z.array(processMark) });

/** Stops the processes of a killed demo of the same home. Throws a UsageError while that demo runs. */
export async function stopLeftBehind(home: string): Promise<void> {
  const left = list.safeParse(readJson(listPath(home)));
  if (!left.success) return;
  const { demo, processes } = left.data;
  if (isAlive(demo)) {
    throw new UsageError(
      `A demo runs over ${home} (process ${demo.pid}). Stop it, or set TIDEMARK_HOME to another folder.`,
    );
  }
  await Promise.all(processes.map((mark) => stopProcess(mark, STOP_LIMIT_MS)));
  rmSync(listPath(home), { force: true });
}

function remember(home: string, running: ReadonlyMap<string, ChildProcess>): void {
  const processes = [...running.values()].flatMap((child) => markOf(child.pid ?? 0) ?? []);
  writeFileSync(listPath(home), JSON.stringify({ demo: ownMark(), processes }));
}

function tail(home: string, name: string): string {
  const lines = readFileSync(logPath(home, name), 'utf8').trimEnd().split('\n');
  return lines.slice(-15).join('\n');
}

function logPath(home: string, name: string): string {
  return join(home, 'logs', `${name}.log`);
}

function listPath(home: string): string {
  return join(home, 'demo-processes.json');
}
