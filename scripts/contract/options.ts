import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { UsageError } from '../../src/errors.ts';

export type ContractOptions = {
  /** Most generated cases for one operation and phase. */
  readonly maxExamples: number;
  readonly seed: number;
};

/** Null when `--help` was asked for (and printed). Throws a UsageError for what is not an option. */
export function readOptions(argv: readonly string[]): ContractOptions | null {
  const command = new Command('node tools/contract.mjs')
    .description('Hold the running API against its own description: Redocly, then Schemathesis.')
    .option('--max-examples <count>', 'most generated cases for one operation and phase', '25')
    .option('--seed <number>', 'of the generator (default: a random one, printed)')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  try {
    command.parse([...argv], { from: 'user' });
  } catch (error) {
    if ((error as { code?: string }).code === 'commander.helpDisplayed') return null;
    throw new UsageError(`${(error as Error).message}\nTry: node tools/contract.mjs --help`);
  }
  const given = command.opts<{ maxExamples: string; seed?: string }>();
  return {
    maxExamples: wholeNumber('--max-examples', given.maxExamples),
    seed: given.seed === undefined ? randomInt(1, 2 ** 31) : wholeNumber('--seed', given.seed),
  };
}

function wholeNumber(option: string, text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new UsageError(`${option} ${text}: a whole number from 1 is needed.`);
}
