import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { UsageError } from '../../src/errors.ts';
import { runProgram } from '../contract/program.ts';
import { documentFiles } from './document-file.ts';
import { installReaders, READERS } from './install.ts';
import { readingOf } from './reading.ts';

const DEFAULT_FOLDER = 'demo/corpus';

type Options = { readonly folder: string; readonly details: string };

/**
 * Reads every 13F and ownership document below a folder with our parsers, then lets two programs of other
 * people read the same bytes and compares value by value. The last line counts; the exit code is 1
 * when a difference has no explanation in tools/second-opinion/expected.py.
 */
export async function secondOpinion(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv);
  if (options === null) return 0;
  const folder = resolve(options.folder);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`${options.folder} is not a folder.`);
  }
  const python = await installReaders();
  const work = mkdtempSync(join(tmpdir(), 'tidemark-second-opinion-'));
  try {
    const ours = join(work, 'ours.jsonl');
    await writeReadings(folder, ours);
    const script = join(READERS, 'compare.py');
    const args = [script, folder, ours, '--details', options.details];
    return await runProgram(python, args, {
      cwd: work,
      env: { EDGAR_LOCAL_DATA_DIR: work, PYTHONDONTWRITEBYTECODE: '1' },
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** One line of JSON for each document: its path, its kind and what our parsers read in it. */
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

/** Shares and money are integers of any size: text in JSON, as on the wire. */
function exactly(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/** Null when `--help` was asked for (and printed). Throws a UsageError for what is not an option. */
function readOptions(argv: readonly string[]): Options | null {
  const command = new Command('npm run second-opinion --')
    .description('Compare our reading of 13F and ownership documents with that of lxml and edgartools.')
    .argument('[folder]', 'read everything below it', DEFAULT_FOLDER)
    .option('--details <count>', 'unexplained differences to print of each field', '5')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  try {
    command.parse([...argv], { from: 'user' });
  } catch (error) {
    if ((error as { code?: string }).code === 'commander.helpDisplayed') return null;
    throw new UsageError(`${(error as Error).message}\nTry: node tools/second-opinion.mjs --help`);
  }
  const { details } = command.opts<{ details: string }>();
  if (!/^\d{1,6}$/.test(details)) throw new UsageError(`--details ${details}: a whole number is needed.`);
  return { folder: command.processedArgs[0] as string, details };
}
