import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { UsageError } from '../src/errors.ts';
import { parsedOptions } from './command-options.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Each supported Node, and the npm that comes with it. */
const NPM_OF: ReadonlyMap<string, string> = new Map([
  ['20.19', '10.8.2'],
  ['22', '10.9.4'],
  ['24', '11'],
]);

const CI = ['npm', 'ci', '--no-audit', '--no-fund'];
const DEMO = 'demo';
const TESTS = ['npm ci', 'types', 'unit tests'];

/** In this order. The demo runs without development packages, as for a user who tries it. */
const STEPS: readonly (readonly [title: string, command: readonly string[]])[] = [
  ['tools', [...CI, '--prefix', 'tools', '--dry-run']],
  ['npm ci --omit=dev', [...CI, '--omit=dev']],
  [DEMO, ['npm', 'run', '--silent', 'demo', '--', '--once']],
  ['npm ci', CI],
  ['types', ['npx', '--no-install', 'tsc', '--noEmit']],
  ['unit tests', ['npx', '--no-install', 'vitest', 'run', '--project=unit', '--tags-filter=!long']],
];

type Options = { readonly node: string; readonly skipDemo?: true; readonly skipTests: string };
type Place = { readonly clone: string; readonly env: NodeJS.ProcessEnv };

/** A step that failed, with the end of what it said. */
class StepError extends Error {}

/**
 * `npm run matrix` installs, checks and runs what is committed with each Node. One line for each on stdout; its
 * exit code is 1 where one of them failed.
 */
async function matrix(argv: readonly string[]): Promise<number> {
  const command = new Command('npm run matrix --')
    .description('Install and run the last commit in a clone, with each Node and its npm from the registry.')
    .option('--node <versions>', 'which of them', [...NPM_OF.keys()].join(','))
    .option('--skip-demo', 'leave the demo out')
    .option('--skip-tests <versions>', 'leave types and unit tests of these out, which run them anyway', '');
  const options = parsedOptions<Options>(command, argv);
  if (options === null) return 0;
  const versions = options.node.split(',');
  const unknown = versions.find((version) => !NPM_OF.has(version));
  if (unknown !== undefined) {
    throw new UsageError(`--node ${unknown}: known are ${[...NPM_OF.keys()].join(', ')}`);
  }
  const withoutTests = options.skipTests.split(',');
  const stepsOf = (version: string) =>
    STEPS.filter(([title]) => !(title === DEMO && options.skipDemo)).filter(
      ([title]) => !(TESTS.includes(title) && withoutTests.includes(version)),
    );
  return withTemporaryFolder('matrix', async (folder) => {
    // One clone for all: the Python packages of the demo are installed once.
    const clone = join(folder, 'clone');
    await run(['git', 'clone', '--quiet', ROOT, clone], { clone: folder, env: process.env });
    let failed = 0;
    for (const version of versions) {
      try {
        const programs = join(folder, `node-${version}`);
        await tryAll(stepsOf(version), await installed(version, programs, clone));
      } catch (error) {
        if (!(error instanceof StepError)) throw error;
        process.stdout.write(` · ${error.message}`);
        failed += 1;
      }
      process.stdout.write('\n');
    }
    return failed === 0 ? 0 : 1;
  });
}

/** Node and npm of their own packages, first on the path, and a home for the demo. */
async function installed(version: string, programs: string, clone: string): Promise<Place> {
  const packages = [`node@${version}`, `npm@${NPM_OF.get(version)}`];
  const install = ['npm', 'install', '--prefix', programs, '--no-save', '--no-audit', '--no-fund'];
  await run([...install, ...packages], { clone: ROOT, env: process.env });
  const path = [join(programs, 'node_modules', '.bin'), process.env['PATH']].join(delimiter);
  const env = { ...process.env, PATH: path, DOCKER: 'never', TIDEMARK_HOME: join(programs, 'home') };
  return { clone, env };
}

/** Prints the line of a version as it comes: what it is, and the seconds of each step. */
async function tryAll(steps: typeof STEPS, place: Place): Promise<void> {
  const [node, npm] = [await run(['node', '--version'], place), await run(['npm', '--version'], place)];
  process.stdout.write(`Node ${node.trim().slice(1)}, npm ${npm.trim()}`);
  for (const [title, command] of steps) {
    const began = performance.now();
    const output = await run(command, place);
    process.stdout.write(` · ${title} ${Math.round((performance.now() - began) / 1_000)} s`);
    if (title === DEMO) process.stdout.write(` · ${checkedBrief(output)}`);
  }
}

/** Every Node has to answer with the brief that the README shows. */
function checkedBrief(output: string): string {
  const wanted = /"brief_id": "(ccm_[0-9a-f]{64})"/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[1];
  const found = /"brief_id":"(ccm_[0-9a-f]{64})"/.exec(output.trimEnd().split('\n').at(-1) ?? '')?.[1];
  if (found !== undefined && found === wanted) return `brief ${found.slice(0, 12)}… as in README`;
  throw new StepError(`the demo answered ${found ?? 'no brief'}, and README has ${wanted ?? 'none'}`);
}

/** What a command printed on stdout. Throws a {@link StepError} with the end of its output where it failed. */
function run([program = '', ...args]: readonly string[], { clone, env }: Place): Promise<string> {
  const child = spawn(program, args, { cwd: clone, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  let all = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk;
    all += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    all += chunk;
  });
  return new Promise((settle, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) return settle(printed);
      const end = all.trimEnd().split('\n').slice(-20).join('\n');
      reject(new StepError(`failed with exit code ${code}: ${[program, ...args].join(' ')}\n${end}`));
    });
  });
}

try {
  process.exitCode = await matrix(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
