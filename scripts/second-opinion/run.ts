import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { UsageError } from '../../src/errors.ts';
import { parsedOptions } from '../command-options.ts';
import { pythonVenv, runProgram, TOOLS } from '../contract/program.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';
import { documentFiles } from './document-file.ts';
import { readingOf } from './reading.ts';

const READERS = join(TOOLS, 'second-opinion');
const DEFAULT_FOLDER = 'demo/corpus';

type Options = { readonly folder: string; readonly details: string };

/**
 * Reads every 13F and ownership document below a folder with our parsers and with two independent
 * programs, and compares value by value. The last line has the counts. The exit code is 1 when a
 * difference has no explanation in tools/second-opinion/expected.py.
 */
export async function secondOpinion(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv);
  if (options === null) return 0;
  const folder = resolve(options.folder);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`${options.folder} is not a folder.`);
  }
  const bin = await pythonVenv('second-opinion', join(READERS, 'requirements.txt'), 'lxml and edgartools');
  return withTemporaryFolder('second-opinion', async (work) => {
    const ours = join(work, 'ours.jsonl');
    await writeReadings(folder, ours);
    const args = [join(READERS, 'compare.py'), folder, ours, '--details', options.details];
    return runProgram(join(bin, 'python'), args, {
      cwd: work,
      env: { EDGAR_LOCAL_DATA_DIR: work, PYTHONDONTWRITEBYTECODE: '1' },
    });
  });
}

/** Writes one line of JSON for each document: its path, its kind and the result of our parsers. */
async function writeReadings(folder: string, path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const { path: name, kind } of documentFiles(folder)) {
      const reading = readingOf(join(folder, name), kind);
      await file.write(`${JSON.stringify({ file: name, kind, ...reading }, exactly)}\n`);
    }
  } finally {
    await file.close();
  }
}

/** Shares and money are integers of any size, so they are text in JSON, as on the wire. */
function exactly(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/** Null when `--help` was printed. Throws a UsageError for wrong options. */
function readOptions(argv: readonly string[]): Options | null {
  const command = new Command('npm run second-opinion --')
    .description('Compare our reading of 13F and ownership documents with that of lxml and edgartools.')
    .argument('[folder]', 'read everything below it', DEFAULT_FOLDER)
    .option('--details <count>', 'unexplained differences to print of each field', '5');
  const given = parsedOptions<{ details: string }>(command, argv);
  if (given === null) return null;
  const { details } = given;
  if (!/^\d{1,6}$/.test(details)) throw new UsageError(`--details ${details}: a whole number is required.`);
  return { folder: command.processedArgs[0] as string, details };
}
