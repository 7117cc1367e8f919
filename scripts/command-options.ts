import type { Command } from 'commander';
import { UsageError } from '../src/errors.ts';

/** Parses the options of a command; null when `--help` was printed. Throws a UsageError for wrong options. */
export function parsedOptions<T extends object>(command: Command, argv: readonly string[]): T | null {
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  try {
    return command.parse([...argv], { from: 'user' }).opts<T>();
  } catch (error) {
    if ((error as { code?: string }).code === 'commander.helpDisplayed') return null;
    throw new UsageError(`${(error as Error).message}\nTry: ${command.name()} --help`);
  }
}
