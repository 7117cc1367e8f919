import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '../../../packages/embedded/wait.ts';

const TIDEMARK = fileURLToPath(new URL('../../../scripts/tidemark.mjs', import.meta.url));
const START_MS = 180_000;

type Env = Readonly<Record<string, string>>;

/** A process of the product, with the operator's command. */
export type Child = {
  readonly pid: number;
  /** All that it has printed. */
  readonly said: () => string;
  /** Resolves when it has printed this; throws with its output when it ends before. */
  readonly until: (text: string) => Promise<void>;
  readonly signal: (name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM') => void;
  readonly hasEnded: () => boolean;
  /** The exit code; null after a signal. */
  readonly ended: () => Promise<number | null>;
};

/** Children of a file; `killAll` belongs in its `afterAll`. */
export function openChildren() {
  const running: ChildProcess[] = [];
  const run = (args: readonly string[], env: Env): Child => {
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.push(child);
    return childOf(child, args.join(' '));
  };
  return {
    /** @param env settings besides PATH, for example those of a world */
    start: (args: readonly string[], env: Env): Child => run([TIDEMARK, ...args], env),
    /** A program of the tests, for what the product has no command for. */
    startProgram: (program: URL, env: Env): Child =>
      run(
        ['--import', new URL('../../../src/typescript.mjs', import.meta.url).href, fileURLToPath(program)],
        env,
      ),
    killAll(): void {
      for (const child of running) child.kill('SIGKILL');
    },
  };
}

function childOf(child: ChildProcess, name: string): Child {
  let said = '';
  const keep = (chunk: Buffer): void => {
    said += chunk;
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    said: () => said,
    until: async (text) => {
      if (await waitUntil(() => said.includes(text), START_MS, hasEnded)) return;
      throw new Error(`${name} did not say "${text}":\n${said}`);
    },
    signal: (signal) => void child.kill(signal),
    hasEnded,
    ended: async () => (await exit)[0],
  };
}
