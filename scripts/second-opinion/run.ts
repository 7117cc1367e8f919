import { statSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import type { ThirteenF } from '../../src/domain/filing/filing.ts';
import { UsageError } from '../../src/errors.ts';
import { parsedOptions } from '../command-options.ts';
import { pythonVenv, runProgram, TOOLS } from '../contract/program.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';
import { corporateActionsOf } from './actions.ts';
import { documentFiles } from './document-file.ts';
import { readingOf } from './reading.ts';

const READERS = join(TOOLS, 'second-opinion');
const DEFAULT_FOLDER = 'demo/corpus';

type Options = { readonly folder: string; readonly details: string };

/**
 * Reads every 13F and ownership document below a folder with our parsers and with two independent
 * programs, and compares value by value. The last line has the counts. The exit code is 1 when a
 * difference has no explanation in tools/second-opinion/expected.py. Where the folder has fails-to-deliver files, a
 * third program finds splits and new CUSIPs in them again.
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
    const [ours, actions] = [join(work, 'ours.jsonl'), join(work, 'actions.jsonl')];
    const reports = await writeReadings(folder, ours);
    const run = (program: string, ...args: readonly string[]) =>
      runProgram(join(bin, 'python'), [join(READERS, program), folder, ...args], {
        cwd: work,
        env: { EDGAR_LOCAL_DATA_DIR: work, PYTHONDONTWRITEBYTECODE: '1' },
      });
    const compared = await run('compare.py', ours, '--details', options.details);
    const fails = join(folder, 'fails');
    if (statSync(fails, { throwIfNoEntry: false }) === undefined) return compared;
    await writeFile(actions, (await corporateActionsOf(reports, fails)).map(lineOf).join(''));
    return Math.max(compared, await run('actions.py', ours, actions));
  });
}

/** Writes one line of JSON for each document: its path, its kind and the result of our parsers. Returns its 13F. */
async function writeReadings(folder: string, path: string): Promise<ThirteenF[]> {
  const file = await open(path, 'w');
  const reports: ThirteenF[] = [];
  try {
    for (const { path: name, kind } of documentFiles(folder)) {
      const reading = readingOf(join(folder, name), kind);
      if (reading.outcome === 'read' && reading.filing.kind === 'thirteen_f') reports.push(reading.filing);
      await file.write(lineOf({ file: name, kind, ...reading }));
    }
  } finally {
    await file.close();
  }
  return reports;
}

const lineOf = (value: unknown): string => `${JSON.stringify(value, exactly)}\n`;

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
