import { openServices, type Services } from '../../packages/embedded/open.ts';
import { type Config, loadConfig } from '../config.ts';
import { type Context, type ContextOptions, openContext } from '../context.ts';
import { columnLines, forTerminal, tabLines } from './rows.ts';

/** Prints a line for a person on stderr: stdout is for results. */
export function say(line: string): void {
  process.stderr.write(`${forTerminal(line)}\n`);
}

export function print(text: string): void {
  process.stdout.write(`${process.stdout.isTTY ? forTerminal(text) : text}\n`);
}

/**
 * Prints rows as JSON, or one a line: in columns with their names at a terminal, else with tabs between the values.
 * @param empty said on stderr when there are no rows to print as lines
 */
export function printRows(rows: readonly object[], json: boolean | undefined, empty: string): void {
  if (json) {
    print(JSON.stringify(rows, null, 2));
    return;
  }
  for (const line of process.stdout.isTTY ? columnLines(rows) : tabLines(rows)) print(line);
  if (rows.length === 0) say(empty);
}

/** One name and value a line, as columns. */
export function printNamed(values: object): void {
  for (const [name, value] of Object.entries(values)) print(`${name.padEnd(NAME_WIDTH)}${value ?? '–'}`);
}

/** As wide as the longest name, `credits_whole_checked_at`. */
const NAME_WIDTH = 26;

/** 128 plus the number of the signal, as shells return it. */
const EXIT_CODE = { SIGINT: 130, SIGTERM: 143 } as const;
let waitsForSignals = false;

/**
 * Runs a command with MongoDB and Redis: those at the URLs that are set, else services that are started
 * for it. They are stopped afterwards unless another process uses them. A signal that nothing waits for
 * releases them and ends the process; the next run repeats what was left unfinished.
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

/** After {@link untilStopSignal} the signals are not handled here: that process closes in its own order. */
function onUnawaitedSignal(release: () => Promise<void>): () => void {
  const stop = (signal: keyof typeof EXIT_CODE): void => {
    if (waitsForSignals) return;
    // An error while opening is reported where it is opened.
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

/** {@link withServices} for a short command, with connections open; it logs only warnings and errors. */
export async function withContext<T>(
  run: (context: Context, services: Services) => Promise<T>,
  options: ContextOptions = {},
): Promise<T> {
  const config = loadConfig();
  return withServices(config, async (services) => {
    const context = await openContext({ ...config, logLevel: 'warn' }, services, 'cli', options);
    try {
      return await run(context, services);
    } finally {
      await context.close();
    }
  });
}

/** Calls `stop` when the process is asked to end, instead of ending it, until the returned function is called. */
function onStopSignal(stop: () => void): () => void {
  waitsForSignals = true;
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, stop);
  return () => {
    waitsForSignals = false;
    for (const signal of signals) process.off(signal, stop);
  };
}

/** npx passes a Ctrl-C on that the terminal has sent to this process already: both are one. */
const SAME_SIGNAL_MS = 1_000;

/**
 * {@link onStopSignal} for a command within {@link withServices} that may take long to stop: a second signal releases
 * the services and ends it at once.
 */
function untilSecondSignal(stop: () => void): () => void {
  let timer: NodeJS.Timeout | null = null;
  const end = onStopSignal(() => {
    if (timer !== null) {
      if (!waitsForSignals)
        say('Ended at once. What was in progress is lost: run the command again, and it is repeated.');
      return;
    }
    timer = setTimeout(() => {
      waitsForSignals = false;
    }, SAME_SIGNAL_MS).unref();
    stop();
  });
  return () => {
    if (timer !== null) clearTimeout(timer);
    end();
  };
}

/** Aborts at the first signal, of {@link untilSecondSignal}, and says what that means. */
export function stopSwitch(...said: readonly string[]) {
  const stop = new AbortController();
  const end = untilSecondSignal(() => {
    stop.abort();
    for (const line of said) say(line);
  });
  return { signal: stop.signal, end };
}

/**
 * Resolves when the process is asked to stop: Ctrl-C, or a supervisor's SIGTERM, or the end of the process
 * that has started it as its own (`startOwnProcess`).
 */
export function untilStopSignal(): Promise<void> {
  waitsForSignals = true;
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
    process.once('disconnect', () => resolve());
    // It may have ended while this process started.
    if (process.connected === false) resolve();
    // A channel that is listened to would keep the process from ending.
    process.channel?.unref();
  });
}
