import { Worker } from 'node:worker_threads';
import type { ProcessRole } from '../store/process/heartbeats.ts';

/** How long an event loop may stand still. Peers of a whole quarter take that of a worker for minutes. */
export const LOOP_SECONDS: Readonly<Record<ProcessRole, number>> = { api: 60, scheduler: 60, worker: 600 };

/** Plain JavaScript: a thread of TypeScript would load its compiler in every process. */
const THREAD = `
  const { workerData: { beats, limitSeconds } } = require('node:worker_threads');
  let last = 0, still = 0;
  setInterval(() => {
    const beat = Atomics.load(beats, 0);
    still = beat === last ? still + 1 : 0;
    last = beat;
    if (still < limitSeconds) return;
    require('node:fs').writeSync(2, 'tidemark: the event loop was blocked for ' + limitSeconds + ' s: killed, to be started again\\n');
    process.kill(process.pid, 'SIGKILL');
  }, 1000);
`;

/**
 * Kills this process when its event loop stands still for so many seconds, as {@link LOOP_SECONDS} says:
 * nothing in it can end it in order then. The seconds are counted, not read from a clock: a process that was suspended (SIGSTOP) must
 * not die when it goes on.
 */
export function watchLoop(limitSeconds: number): { readonly close: () => Promise<void> } {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const tick = setInterval(() => Atomics.add(beats, 0, 1), 500).unref();
  const thread = new Worker(THREAD, { eval: true, execArgv: [], workerData: { beats, limitSeconds } });
  thread.unref();
  return {
    close: async () => {
      clearInterval(tick);
      await thread.terminate();
    },
  };
}
