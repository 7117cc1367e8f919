import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { environmentWith } from '../config.ts';
import type { Services } from '../embedded/open.ts';
import { AppError } from '../errors.ts';
import { say } from './session.ts';

const TIDEMARK = fileURLToPath(new URL('../../scripts/tidemark.mjs', import.meta.url));

/** Before a process that ended is replaced; doubled while they end soon after their start. */
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
const SETTLED_MS = 60_000;

/**
 * Runs so many API processes behind one port: this process accepts connections and hands them on in turn. Each is a
 * whole `tidemark serve`, with its own heartbeat, caches and limits. One that ends is replaced. Throws when
 * one ends before it listens for the first time, as a single process would.
 */
export async function startApiWorkers(count: number, services: Services) {
  cluster.setupPrimary({ exec: TIDEMARK, args: ['serve'] });
  const env = environmentWith(services);
  const stopping = new AbortController();
  const isRunning = new Map<Worker, Promise<void>>();
  const start = (): Worker => {
    const worker = cluster.fork(env);
    isRunning.set(worker, ended(worker));
    return worker;
  };
  const keepOne = async (first: Worker): Promise<void> => {
    let worker = first;
    let pauseMs = PAUSE_MS;
    for (;;) {
      const began = performance.now();
      await isRunning.get(worker);
      isRunning.delete(worker);
      if (stopping.signal.aborted) return;
      const { exitCode, signalCode } = worker.process;
      say(`tidemark: an API process ended (${signalCode ?? `exit code ${exitCode}`}) and is replaced`);
      pauseMs = performance.now() - began > SETTLED_MS ? PAUSE_MS : Math.min(2 * pauseMs, MAX_PAUSE_MS);
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      worker = start();
    }
  };
  const close = async (): Promise<void> => {
    stopping.abort();
    for (const worker of isRunning.keys()) worker.process.kill('SIGTERM');
    await Promise.all(isRunning.values());
  };
  const first = Array.from({ length: count }, start);
  try {
    const [port = 0] = await Promise.all(first.map(portOf));
    for (const worker of first) void keepOne(worker);
    return { port, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function ended(worker: Worker): Promise<void> {
  await once(worker, 'exit');
}

/** Where it listens; the port is the same for all. */
function portOf(worker: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.once('listening', ({ port }) => resolve(port));
    worker.once('exit', (code) => {
      reject(new AppError('api_worker_failed', `An API process did not start (exit code ${code}).`));
    });
  });
}

/** Whether this process is one of {@link startApiWorkers}. */
export function isApiWorker(): boolean {
  return cluster.isWorker;
}

/** Ends this process in order when the one that accepts its connections is gone: Node would end it at once. */
export function outliveAcceptor(): void {
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
}
