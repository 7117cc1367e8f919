import { openServices, type Services } from '../../scripts/services/open.ts';
import { type Config, loadConfig } from '../config.ts';
import { type Context, openContext } from '../context.ts';

export type Session = Context & { readonly services: Services };

/** Lines for a person: stdout is for results. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/**
 * Runs a command with MongoDB and Redis: the URLs that are set, else services that are started for
 * it and stopped again unless someone else uses them.
 */
export async function withServices<T>(config: Config, run: (services: Services) => Promise<T>): Promise<T> {
  const services = await openServices(config, say);
  try {
    return await run(services);
  } finally {
    await services.release();
  }
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
export function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
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
