import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { environmentWith } from '../config.ts';
import type { Services } from '../embedded/open.ts';
import { AppError } from '../errors.ts';
import { onStopSignal, say } from './session.ts';

const TIDEMARK = fileURLToPath(new URL('../../scripts/tidemark.mjs', import.meta.url));

/** Before a process that ended is replaced; doubled while they end soon after their start. */
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
const SETTLED_MS = 60_000;

type Run = {
  /** Null when the system refused to start it. */
  readonly worker: Worker | null;
  /** How it ended. */
  readonly ended: Promise<string>;
};

/**
 * Runs so many API processes behind one port: this process accepts connections and hands them on in turn. Each is a
 * whole `tidemark serve`, with its own heartbeat and caches, and with its share of what an address may have. One that
 * ends is replaced. Throws when one ends before it listens for the first time, as a single process would, and
 * when a stop signal comes before all listen; then none is left.
 */
export async function startApiWorkers(count: number, services: Services) {
  cluster.setupPrimary({ exec: TIDEMARK, args: ['serve'] });
  const env = { ...environmentWith(services), API_WORKERS: String(count) };
  const stopping = new AbortController();
  const running = new Set<Run>();
  const start = (): Run => {
    const run = runOne(env);
    running.add(run);
    return run;
  };
  const keepOne = async (first: Run): Promise<void> => {
    let run = first;
    let pauseMs = PAUSE_MS;
    for (;;) {
      const began = performance.now();
      const how = await run.ended;
      running.delete(run);
      if (stopping.signal.aborted) return;
      say(`tidemark: an API process ended (${how}) and is replaced`);
      pauseMs = performance.now() - began > SETTLED_MS ? PAUSE_MS : Math.min(2 * pauseMs, MAX_PAUSE_MS);
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      run = start();
    }
  };
  const close = async (): Promise<void> => {
    stopping.abort();
    for (const { worker } of running) worker?.process.kill('SIGTERM');
    await Promise.all([...running].map(({ ended }) => ended));
  };
  // Until all listen, nothing else waits for the signals.
  const ignoreSignals = onStopSignal(() => stopping.abort());
  const stopped = once(stopping.signal, 'abort').then(() => {
    throw new AppError('api_worker_failed', 'Stopped before all API processes listened.');
  });
  const first = Array.from({ length: count }, start);
  try {
    const [port = 0] = await Promise.race([Promise.all(first.map(portOf)), stopped]);
    for (const run of first) void keepOne(run);
    return { port, close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    ignoreSignals();
  }
}

function runOne(env: NodeJS.ProcessEnv): Run {
  try {
    const worker = cluster.fork(env);
    return { worker, ended: endOf(worker) };
  } catch (error) {
    // Of some errors the system reports it at once, of others later.
    return { worker: null, ended: Promise.resolve(String(error)) };
  }
}

function endOf(worker: Worker): Promise<string> {
  return new Promise((resolve) => {
    worker.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    worker.on('error', (error) => {
      // Else it runs, and a connection could not be handed to it.
      if (worker.process.pid === undefined) resolve(error.message);
    });
  });
}

/** Where it listens; the port is the same for all. */
function portOf({ worker, ended }: Run): Promise<number> {
  return new Promise((resolve, reject) => {
    worker?.once('listening', ({ port }) => resolve(port));
    void ended.then((how) =>
      reject(new AppError('api_worker_failed', `An API process did not start (${how}).`)),
    );
  });
}

/** Whether this process is one of {@link startApiWorkers}. */
export function isApiWorker(): boolean {
  return cluster.isWorker;
}

/**
 * Ends this process in order when the one that accepts its connections is gone: Node would end it at once, which is
 * right until it listens.
 */
export function outliveAcceptor(): void {
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
}
