import { Worker } from 'node:worker_threads';
import type { ProcessRole } from '../store/process/heartbeats.ts';

/** How long an event loop may stand still. Peers of a whole quarter take that of a worker for minutes. */
export const LOOP_SECONDS: Readonly<Record<ProcessRole, number>> = { api: 60, scheduler: 60, worker: 600 };

/** The heartbeat that goes on while the loop computes. Its process alone cannot write it then. */
export type Pulse = {
  readonly mongoUrl: string;
  readonly database: string;
  /** Of the heartbeat. */
  readonly id: string;
};

/**
 * Kills this process when its event loop stands still for so many seconds, as {@link LOOP_SECONDS} says: nothing in
 * it can end it in order then. The seconds are counted, not read from a clock: a process that was suspended (SIGSTOP)
 * must not die when it goes on. With a pulse the heartbeat goes on meanwhile, and stops only when the process does.
 */
export function watchLoop(
  limitSeconds: number,
  pulse: Pulse | null = null,
): { readonly close: () => Promise<void> } {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const tick = setInterval(() => Atomics.add(beats, 0, 1), 500).unref();
  const workerData = { beats, limitSeconds, pulse };
  const thread = new Worker(new URL('./loop-thread.mjs', import.meta.url), { execArgv: [], workerData });
  thread.unref();
  return {
    close: async () => {
      clearInterval(tick);
      await thread.terminate();
    },
  };
}
