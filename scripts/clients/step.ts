import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../src/errors.ts';
import { runProgram } from '../contract/program.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';

/** A running API and a key with credits. */
export type Service = { readonly origin: string; readonly key: string };

/** Uses a client in the empty folder. Throws when something is not as promised. */
export type Check = (service: Service, folder: string) => Promise<void>;

/** Runs a check in a new folder and prints one line about it. */
export async function runStep(name: string, check: Check, service: Service): Promise<boolean> {
  const started = performance.now();
  const verdict = await withTemporaryFolder(`client-${name}`, (folder) => check(service, folder)).then(
    () => 'passed',
    (error: unknown) => `FAILED: ${error instanceof Error ? error.message : String(error)}`,
  );
  console.log(`${name} ${verdict} (${Math.round((performance.now() - started) / 1_000)} s)`);
  return verdict === 'passed';
}

/** The service, as the environment of a program that calls it. */
export function environmentOf({ origin, key }: Service) {
  return { TIDEMARK_URL: origin, TIDEMARK_KEY: key };
}

type Running = {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly isQuiet?: boolean;
};

/** Throws unless the program ends with code 0. */
export async function runOrThrow(program: string, args: readonly string[], running: Running): Promise<void> {
  const code = await runProgram(program, args, running);
  if (code !== 0) throw new AppError('client_failed', `${program} ${args.join(' ')}: exit code ${code}`);
}

/** Copies a program of `consumer/` to where a user would have it. */
export function copyConsumer(name: string, folder: string, as = name): void {
  const source = new URL(`consumer/${name}`, import.meta.url);
  writeFileSync(join(folder, as), readFileSync(source));
}

/** The name of the only file with this extension. */
export function onlyFile(folder: string, extension: string): string {
  const found = readdirSync(folder).filter((name) => name.endsWith(extension));
  if (found[0] === undefined || found.length > 1) {
    throw new AppError('client_failed', `one ${extension} was expected, ${found.length} were made`);
  }
  return found[0];
}
