import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { chooseEngine, rustEngine } from '../../packages/embedded/engine.ts';
import { loadConfig } from '../../src/config.ts';
import { UsageError } from '../../src/errors.ts';
import { entryOf, SCENARIO_IDS, type ScenarioId } from '../../test/faults/catalogue.ts';
import { parsedOptions } from '../command-options.ts';
import { runProgram } from '../contract/program.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';
import { type Row, reportPage, rowOf, vitestResults } from './report.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Git ignores it. */
const PAGE = join(ROOT, 'faults.md');

type Options = {
  readonly only?: string;
  readonly short?: boolean;
  readonly part: number;
};

/**
 * `npm run faults`: every scenario of the catalogue at full length, or those of `--only`, one file after
 * another. Prints the report and writes it into faults.md. Returns 1 when a scenario failed.
 */
export async function faults(argv: readonly string[]): Promise<number> {
  const options = parsedOptions<Options>(
    new Command('faults')
      .option('--only <ids>', 'only these scenarios, as T03,T04')
      .option('--short', 'as long as in npm test')
      .option(
        '--part <part>',
        'of the full length, from 0 to 1, where a scenario counts calls or events',
        partGiven,
        1,
      ),
    argv,
  );
  if (options === null) return 0;
  const ids = wantedIds(options.only);
  const rows = await runScenarios(ids, options);
  for (const { id, verdict, seeds, figures } of rows) {
    process.stdout.write(
      `${id}  ${verdict}  ${seeds.length > 0 ? `seeds ${seeds.join(' ')}` : ''}  ${figures}\n`,
    );
  }
  process.stdout.write(`${machine()}\n`);
  const day = `${new Date().toISOString().slice(0, 10)} ${options.short === true ? 'short' : 'long'}`;
  writeFileSync(PAGE, reportPage(rows, { day, machine: machine() }));
  return rows.some(({ hasFailed }) => hasFailed) ? 1 : 0;
}

function wantedIds(only: string | undefined): ScenarioId[] {
  if (only === undefined) return SCENARIO_IDS;
  const names = only.split(',').map((name) => name.trim().toUpperCase());
  const unknown = names.filter((name) => !SCENARIO_IDS.some((id) => id === name));
  if (unknown.length > 0) throw new UsageError(`There is no scenario ${unknown.join(', ')}.`);
  return SCENARIO_IDS.filter((id) => names.includes(id));
}

function partGiven(text: string): number {
  const part = Number(text);
  if (part > 0 && part <= 1) return part;
  throw new UsageError(`--part is above 0 and at most 1, not ${text}.`);
}

/** One file at a time: a load that is measured must be alone. */
async function runScenarios(ids: readonly ScenarioId[], { short, part }: Options): Promise<Row[]> {
  const files = [...new Set(ids.flatMap((id) => entryOf(id).files))];
  if (files.length === 0) return ids.map((id) => rowOf(id, []));
  return withTemporaryFolder('faults', async (folder) => {
    const path = join(folder, 'results.json');
    const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
    await runProgram(
      process.execPath,
      [
        vitest,
        'run',
        '--no-file-parallelism',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${path}`,
        ...files,
      ],
      {
        cwd: ROOT,
        env: {
          FAULTS_LONG: short === true ? '' : '1',
          FAULTS_ONLY: ids.join(','),
          FAULTS_PART: String(part),
        },
      },
    );
    const { testResults } = vitestResults.parse(JSON.parse(readFileSync(path, 'utf8')));
    return ids.map((id) => rowOf(id, testResults));
  });
}

function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${memory} GB, Node ${process.versions.node}, ${services()}`;
}

function services(): string {
  const { engine, mongoUrl } = loadConfig();
  if (mongoUrl !== undefined) return 'MongoDB of MONGO_URL';
  return `embedded MongoDB (${chooseEngine(undefined, engine, rustEngine())} engine) and Redis`;
}
