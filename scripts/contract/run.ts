import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config.ts';
import { discardHome } from '../../src/embedded/embedded.ts';
import { type ServedCorpus, serveCorpus } from '../corpus/serve.ts';
import { installSchemathesis, installTools } from './install.ts';
import { type ContractOptions, readOptions } from './options.ts';
import { runProgram, TOOLS } from './program.ts';
import { readTally, type Tally } from './tally.ts';

const PHASES = 'examples,coverage,fuzzing,stateful';
const CREDITS = 50_000_000;
/** Bounds that a fuzzer would meet at once; they have tests of their own. */
const UNBOUND = {
  RATE_LIMIT_PER_SECOND: '0',
  FAILED_AUTH_PER_MINUTE: '0',
  SHED_LOOP_DELAY_MS: '0',
  LOG_LEVEL: 'error',
};

/**
 * Serves the bundled filings, lints the description that is served, and lets Schemathesis call every
 * operation while the balance is watched. The last line counts; the exit code is 1 when anything failed.
 */
export async function contract(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv);
  if (options === null) return 0;
  await installTools();
  const st = await installSchemathesis();
  const work = mkdtempSync(join(tmpdir(), 'tidemark-contract-'));
  const given = process.env['TIDEMARK_HOME'] || null;
  const home = given ?? join(work, 'home');
  try {
    const config = loadConfig({ ...process.env, TIDEMARK_HOME: home, ...UNBOUND });
    const served = await serveCorpus(config, (line) => console.error(line));
    try {
      return await check(served, { st, work, options });
    } finally {
      await served.close();
    }
  } finally {
    if (given === null) await discardHome(home);
    rmSync(work, { recursive: true, force: true });
  }
}

type Checking = { readonly st: string; readonly work: string; readonly options: ContractOptions };

async function check(served: ServedCorpus, { st, work, options }: Checking): Promise<number> {
  const started = Date.now();
  const document = join(work, 'openapi.json');
  const answer = await fetch(`${served.origin}/openapi.json`);
  writeFileSync(document, await answer.text());
  const lint = await runProgram('npx', [
    '--no-install',
    'redocly',
    'lint',
    '--config',
    'redocly.yaml',
    document,
  ]);
  const tallyPath = join(work, 'tally.json');
  const key = await served.newKey('Contract', CREDITS);
  const env = {
    SCHEMATHESIS_HOOKS: 'schemathesis_hooks',
    PYTHONPATH: TOOLS,
    TIDEMARK_ORIGIN: served.origin,
    TIDEMARK_KEY: key,
    TIDEMARK_TALLY: tallyPath,
  };
  // Where it stands it leaves a folder of its own.
  const fuzz = await runProgram(st, schemathesisArgs(served, options), { cwd: work, env });
  const tally = readTally(tallyPath);
  console.log(lastLine({ lint, fuzz, tally, options, seconds: Math.round((Date.now() - started) / 1_000) }));
  return lint === 0 && fuzz === 0 && tally !== null && tally.credits === tally.moved ? 0 : 1;
}

function schemathesisArgs(served: ServedCorpus, options: ContractOptions): string[] {
  return [
    ...['--config-file', join(TOOLS, 'schemathesis.toml'), 'run', `${served.origin}/openapi.json`],
    ...['--phases', PHASES, '--checks', 'all'],
    // The hooks have it with the one thing that a description cannot say.
    ...['--exclude-checks', 'positive_data_acceptance'],
    ...['--max-examples', String(options.maxExamples), '--seed', String(options.seed), '--workers', '1'],
    ...['--generation-database', 'none', '--no-color'],
  ];
}

type Result = {
  readonly lint: number;
  readonly fuzz: number;
  readonly tally: Tally | null;
  readonly options: ContractOptions;
  readonly seconds: number;
};

function lastLine({ lint, fuzz, tally, options, seconds }: Result): string {
  const counted = tally ?? { calls: 0, charged: 0, credits: 0, moved: 0, statuses: {} };
  const statuses = Object.entries(counted.statuses).map(([status, calls]) => `${status}×${calls}`);
  return [
    `redocly ${lint === 0 ? 'passed' : 'FAILED'}`,
    `schemathesis ${fuzz === 0 ? 'passed' : 'FAILED'}`,
    `${counted.calls} calls, ${counted.charged} charged ${counted.credits} credits, balance moved by ${counted.moved}`,
    `statuses ${statuses.join(' ')}`,
    `seed ${options.seed}, max examples ${options.maxExamples}, ${seconds} s`,
  ].join('; ');
}
