import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { malformed } from '../error.ts';
import type { READERS, ReadOutcome, ReadTask } from './bounded-read-process.ts';

/** The longest real list has 3 MB, a fails file less than 1 MB. */
const MAX_BYTES = 32 * 2 ** 20;
/** Of the whole process. The list of 2018Q3, 526 pages, takes less than half of it. */
const MAX_MEMORY_BYTES = 384 * 2 ** 20;
/** 526 pages take three seconds, ten on a busy machine. */
const WALL_MS = 120_000;

/** Ends a process that takes too much memory. Nobody else sends it, and Node does nothing else with it. */
const MEMORY_SIGNAL = 'SIGUSR2';

type Readers = typeof READERS;
type Bounds = { readonly maxMemoryBytes?: number; readonly wallMs?: number };

/**
 * Reads a reference file in a process of its own, which is killed when it takes too much memory or time: a
 * hostile file costs neither the worker nor its event loop. It gets no setting and no secret. Throws
 * `edgar_malformed`, and nothing else, for a file that cannot be read as a whole (rule 10.8).
 */
export async function readBounded<Name extends keyof Readers>(
  reader: Name,
  file: { readonly name: string; readonly bytes: Buffer },
  { maxMemoryBytes = MAX_MEMORY_BYTES, wallMs = WALL_MS }: Bounds = {},
): Promise<Awaited<ReturnType<Readers[Name]>>> {
  const { name, bytes } = file;
  if (bytes.length > MAX_BYTES)
    throw malformed(name, `${bytes.length} bytes are more than any such file has`);
  const task = { reader, name, bytes, maxMemoryBytes, memorySignal: MEMORY_SIGNAL } as const;
  const outcome = await outcomeOf(task, wallMs);
  if ('why' in outcome) throw malformed(name, outcome.why);
  return outcome.read as Awaited<ReturnType<Readers[Name]>>;
}

function outcomeOf(task: ReadTask, wallMs: number): Promise<ReadOutcome> {
  const child = startProcess();
  return new Promise<ReadOutcome>((resolve) => {
    const refuse = (why: string): void => {
      resolve({ why });
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => refuse('it takes too long to read'), wallMs);
    child.once('message', (outcome) => resolve(outcome as ReadOutcome));
    child.once('error', (error) => refuse(`its reader failed: ${error.message}`));
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      resolve({ why: whyEnded(code, signal) });
    });
    child.send(task, (error) => {
      if (error !== null) refuse(`its reader failed: ${error.message}`);
    });
  });
}

/** Why a reader ended without an outcome. */
export function whyEnded(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === MEMORY_SIGNAL) return 'it needs too much memory to read';
  // The kernel, for want of memory of the machine, or an operator: the file may be good.
  return `its reader ended with ${signal ?? code}`;
}

function startProcess(): ChildProcess {
  return fork(fileURLToPath(new URL('./bounded-read-process.ts', import.meta.url)), {
    execArgv: ['--import', new URL('../../typescript.mjs', import.meta.url).href],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
  });
}
