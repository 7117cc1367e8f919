import { writeSync } from 'node:fs';
import { type Run, tidemark } from '../../cli/tidemark.ts';
import type { World } from '../../world.ts';

const IS_SHOWN = process.env['DRILL'] === '1';

/** Prints what an operator would see and do, in `npm run drill`. */
export function told(line: string): void {
  if (IS_SHOWN) writeSync(process.stderr.fd, `${line}\n`);
}

/** A line of the runbook: what has happened, or what to do. */
export const step = (line: string): void => told(`\n# ${line}`);

/** An operator's command over a world, with what it prints. */
export async function operator(world: World, ...args: string[]): Promise<Run> {
  told(`$ tidemark ${args.join(' ')}`);
  const run = await tidemark(world, ...args);
  told(`${run.stdout}${run.stderr}`.trimEnd());
  if (run.code !== 0) told(`(exit ${run.code})`);
  return run;
}
