import { Worker } from 'node:worker_threads';
import { isEdgarError } from '../error.ts';
import { readFailsFile } from './fails.ts';
import { readSecurityList } from './security-list.ts';

/** The files that are read in a process of their own. */
export const READERS = {
  fails: (_name: string, bytes: Buffer) => readFailsFile(bytes),
  list: readSecurityList,
} as const;

export type ReadTask = {
  readonly reader: keyof typeof READERS;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly maxMemoryBytes: number;
  /** By which the process ends itself when it takes more. */
  readonly memorySignal: NodeJS.Signals;
};
export type ReadOutcome = { readonly read: unknown } | { readonly why: string };

/** Error classes do not cross processes, so an unreadable file is an outcome, however its reader failed. */
async function outcomeOf({ reader, name, bytes }: ReadTask): Promise<ReadOutcome> {
  try {
    return { read: await READERS[reader](name, Buffer.from(bytes)) };
  } catch (error) {
    if (isEdgarError(error, 'edgar_malformed')) return { why: error.message };
    return { why: `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

process.once('message', async (task: ReadTask) => {
  const workerData = { maxBytes: task.maxMemoryBytes, parent: process.ppid, signal: task.memorySignal };
  new Worker(new URL('./memory-watch.mjs', import.meta.url), { workerData, execArgv: [] });
  const outcome = await outcomeOf(task);
  process.send?.(outcome, () => process.exit());
});
