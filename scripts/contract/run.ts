import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { z } from 'zod';
import { loadConfig } from '../../src/config.ts';
import { UsageError } from '../../src/errors.ts';
import { parsedOptions } from '../command-options.ts';
import { type ServedApi, serveCorpus } from '../corpus/serve.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';
import { installTools, pythonVenv, runProgram, TOOLS } from './program.ts';

/** The counts of the Schemathesis hooks: every checked call and its price. */
const tally = z.object({
  calls: z.number(),
  charged: z.number(),
  credits: z.number(),
  statuses: z.record(z.string(), z.number()),
  moved: z.number(),
});

type Tally = z.infer<typeof tally>;

const PHASES = 'examples,coverage,fuzzing,stateful';
const CREDITS = 50_000_000;
/** Limits that a fuzzer would reach at once; they have their own tests. */
const UNBOUND = {
  RATE_LIMIT_PER_SECOND: '0',
  CREDITS_EXPOSURE_PER_ORG: '0',
  CREDITS_EXPOSURE_TOTAL: '0',
  FAILED_AUTH_PER_MINUTE: '0',
  SHED_LOOP_DELAY_MS: '0',
  LOG_LEVEL: 'error',
};

/**
 * Serves the bundled filings, lints the served description, and calls every operation with Schemathesis
 * while the balance is checked. The last line has the counts. The exit code is 1 when anything failed.
 */
export async function contract(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv);
  if (options === null) return 0;
  await installTools();
  const st = join(await pythonVenv('contract', join(TOOLS, 'requirements.txt'), 'Schemathesis'), 'st');
  return withTemporaryFolder('contract', async (work) => {
    const home = process.env['TIDEMARK_HOME'] || work;
    const served = await serveCorpus(loadConfig({ ...process.env, TIDEMARK_HOME: home, ...UNBOUND }));
    try {
      return await check(served, { st, work, options });
    } finally {
      await served.close();
    }
  });
}

type Checking = { readonly st: string; readonly work: string; readonly options: ContractOptions };

async function check(served: ServedApi, { st, work, options }: Checking): Promise<number> {
  const started = performance.now();
  const document = join(work, 'openapi.json');
  const answer = await fetch(`${served.origin}/openapi.json`);
  writeFileSync(document, await answer.text());
  const linting = ['redocly', 'lint', '--config', 'redocly.yaml', document];
  const lint = await runProgram('npx', ['--no-install', ...linting]);
  const tallyPath = join(work, 'tally.json');
  const key = await served.newKey('Contract', CREDITS);
  const env = {
    SCHEMATHESIS_HOOKS: 'schemathesis_hooks',
    PYTHONPATH: TOOLS,
    TIDEMARK_ORIGIN: served.origin,
    TIDEMARK_KEY: key,
    TIDEMARK_TALLY: tallyPath,
  };
  // It leaves a folder in its working directory.
  const fuzz = await runProgram(st, schemathesisArgs(served, options), { cwd: work, env });
  const tally = readTally(tallyPath);
  const seconds = Math.round((performance.now() - started) / 1_000);
  const settings = `seed ${options.seed}, max examples ${options.maxExamples}, ${seconds} s`;
  console.log(`${countsOf(tally, lint, fuzz)}; ${settings}`);
  return lint === 0 && fuzz === 0 && tally !== null && tally.credits === tally.moved ? 0 : 1;
}

function schemathesisArgs(served: ServedApi, options: ContractOptions): string[] {
  return [
    ...['--config-file', join(TOOLS, 'schemathesis.toml'), 'run', `${served.origin}/openapi.json`],
    ...['--phases', PHASES, '--checks', 'all'],
    // The hooks have this check, with the exception that a description cannot express.
    ...['--exclude-checks', 'positive_data_acceptance'],
    ...['--max-examples', String(options.maxExamples), '--seed', String(options.seed), '--workers', '1'],
    ...['--generation-database', 'none', '--no-color'],
  ];
}

function countsOf(tally: Tally | null, lint: number, fuzz: number): string {
  const counted = tally ?? { calls: 0, charged: 0, credits: 0, moved: 0, statuses: {} };
  const statuses = Object.entries(counted.statuses).map(([status, calls]) => `${status}×${calls}`);
  return [
    `redocly ${lint === 0 ? 'passed' : 'FAILED'}`,
    `schemathesis ${fuzz === 0 ? 'passed' : 'FAILED'}`,
    `${counted.calls} calls, ${counted.charged} charged ${counted.credits} credits, balance moved by ${counted.moved}`,
    `statuses ${statuses.join(' ')}`,
  ].join('; ');
}

type ContractOptions = {
  /** Maximum of generated cases for one operation and phase. */
  readonly maxExamples: number;
  readonly seed: number;
};

/** Null when `--help` was printed. Throws a UsageError for wrong options. */
function readOptions(argv: readonly string[]): ContractOptions | null {
  const command = new Command('npm run contract --')
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

/** Null when the run ended before its first call. */
function readTally(path: string): Tally | null {
  return existsSync(path) ? tally.parse(JSON.parse(readFileSync(path, 'utf8'))) : null;
}
