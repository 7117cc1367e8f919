import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { TOOLS } from '../contract/program.ts';
import { LEFT_OUT, reasonFor, SCENARIOS, type Scenario } from './scenarios.ts';

const SUITE = join(TOOLS, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const OLD_NODE = fileURLToPath(new URL('old-node.mjs', import.meta.url));
const LIMIT_MS = 60_000;

const checkShape = z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() });
export type Check = z.infer<typeof checkShape>;

/** The names of the scenarios that are not run. Throws for a new scenario that is in no list. */
export async function leftOut(): Promise<readonly string[]> {
  const listed = await run(['list', '--server']);
  const names = [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name);
  const others = names.filter((name) => SCENARIOS.every((scenario) => scenario.name !== name));
  const unlisted = others.filter((name) => reasonFor(name, LEFT_OUT) === null);
  if (names.length > 0 && unlisted.length === 0) return others;
  const what =
    names.length === 0 ? 'The suite lists no scenario.' : `Scenarios in no list: ${unlisted.join(', ')}.`;
  throw new AppError('conformance_suite', what);
}

/** The checks of a scenario; none when the suite could not run it. Its exit code is not needed. */
export async function checksOf(
  url: string,
  { name, revision }: Scenario,
  work: string,
): Promise<readonly Check[]> {
  const output = mkdtempSync(join(work, 'run-'));
  await run(['server', '--url', url, '-o', output, '--scenario', name, '--spec-version', revision]);
  const files = readdirSync(output, { recursive: true, encoding: 'utf8' });
  return files
    .filter((path) => path.endsWith('checks.json'))
    .flatMap((path) => z.array(checkShape).parse(JSON.parse(readFileSync(join(output, path), 'utf8'))));
}

function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const program = ['--import', OLD_NODE, SUITE, ...args];
    execFile(process.execPath, program, { cwd: TOOLS, timeout: LIMIT_MS }, (_, stdout) => resolve(stdout));
  });
}
