import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Services } from '../../packages/embedded/open.ts';
import { environmentWith } from '../config.ts';
import { say } from './session.ts';

const TIDEMARK = fileURLToPath(new URL('../../scripts/tidemark.mjs', import.meta.url));

/**
 * Starts `tidemark` with the arguments as a part of this process: with its services and output, ended with
 * it even when it is killed, and ending it when it fails.
 * @param nodeFlags of Node, for what cannot be set once a process runs
 */
export function startOwnProcess(
  args: readonly string[],
  services: Services,
  nodeFlags: readonly string[] = [],
) {
  // The channel carries nothing: it closes when this process ends, however that happens.
  const child = spawn(process.execPath, [...nodeFlags, TIDEMARK, ...args], {
    env: environmentWith(services),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const fail = (code: number | null, signal: string | null): void => {
    say(`tidemark: its process "${args.join(' ')}" ended (${signal ?? `exit code ${code}`})`);
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  };
  child.once('exit', fail);
  return {
    /** Asks it to stop, and does not wait. */
    stop: async (): Promise<void> => {
      child.off('exit', fail);
      child.kill('SIGTERM');
    },
    ended: (): Promise<void> => (isRunning(child) ? ended : Promise.resolve()),
  };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
