import { type Config, loadConfig } from '../config.ts';
import { type Context, openContext } from '../context.ts';
import { openServices, type Services } from '../embedded/open.ts';

export type Session = Context & { readonly services: Services };

/** Lines for a person: stdout is for results. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** 128 plus the number of the signal, as a shell has it. */
const EXIT_CODE = { SIGINT: 130, SIGTERM: 143 } as const;
let waitsForSignals = false;

/**
 * Runs a command with MongoDB and Redis: the URLs that are set, else services that are started for
 * it and stopped again unless someone else uses them. A signal that nobody waits for gives them back
 * and ends the process: what it left half-done is done again by the next run.
 */
export async function withServices<T>(config: Config, run: (services: Services) => Promise<T>): Promise<T> {
  const opening = openServices(config, say);
  const stopListening = onUnawaitedSignal(async () => {
    const services = await opening;
    await services.release();
  });
  try {
    const services = await opening;
    try {
      return await run(services);
    } finally {
      await services.release();
    }
  } finally {
    stopListening();
  }
}

/** {@link untilStopSignal} takes the signals over: a process that waits for one stops in its own order. */
function onUnawaitedSignal(release: () => Promise<void>): () => void {
  const stop = (signal: keyof typeof EXIT_CODE): void => {
    if (waitsForSignals) return;
    // What fails while it opens says so where it is opened.
    void release()
      .catch(() => undefined)
      .finally(() => process.exit(EXIT_CODE[signal]));
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, stop);
  return () => {
    for (const signal of signals) process.off(signal, stop);
  };
}

/** {@link withServices} with the connections of a short command open; quiet unless something is wrong. */
export async function withContext<T>(run: (context: Session) => Promise<T>): Promise<T> {
  const config = loadConfig();
  return withServices(config, async (services) => {
    const context = await openContext({ ...config, logLevel: 'warn' }, services, 'cli');
    try {
      return await run({ ...context, services });
    } finally {
      await context.close();
    }
  });
}

/** Resolves when the process is asked to stop: Ctrl-C, or a supervisor's SIGTERM. */
export function untilStopSignal(): Promise<void> {
  waitsForSignals = true;
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

/** What `start` answers; when it fails, what was opened for it is closed, so that the process can end. */
export async function startOrClose<T>(close: () => Promise<void>, start: () => T | Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    await close();
    throw error;
  }
}

/** Closes within the limit, then gives up: a hanging connection must not hold a deploy. */
export async function closeWithin(limitMs: number, close: () => Promise<void>): Promise<void> {
  const limit = setTimeout(() => {
    say(`tidemark: not closed after ${limitMs / 1_000} s, stopping anyway`);
    process.exit(1);
  }, limitMs);
  try {
    await close();
  } finally {
    clearTimeout(limit);
  }
}
