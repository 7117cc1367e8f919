import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { UsageError } from '../../src/errors.ts';
import { parsedOptions } from '../command-options.ts';

export type ContractOptions = {
  /** Maximum of generated cases for one operation and phase. */
  readonly maxExamples: number;
  readonly seed: number;
};

/** Null when `--help` was printed. Throws a UsageError for wrong options. */
export function readOptions(argv: readonly string[]): ContractOptions | null {
  const command = new Command('node tools/contract.mjs')
    .description('Test the running API against its own description: Redocly, then Schemathesis.')
    .option('--max-examples <count>', 'maximum of generated cases for one operation and phase', '25')
    .option('--seed <number>', 'of the generator (default: a random one, printed)');
  const given = parsedOptions<{ maxExamples: string; seed?: string }>(command, argv);
  if (given === null) return null;
  return {
    maxExamples: wholeNumber('--max-examples', given.maxExamples),
    seed: given.seed === undefined ? randomInt(1, 2 ** 31) : wholeNumber('--seed', given.seed),
  };
}

function wholeNumber(option: string, text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new UsageError(`${option} ${text}: a whole number from 1 is required.`);
}
