import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What else grows with the market, each measured by a benchmark of its own; not the full quarter, which takes half an hour. */
const BESIDE = ['../live/live.ts', '../peers.ts', '../recompare/recompare.ts', '../workers/workers.ts'];

/** Runs these benchmarks one after another, each in a process of its own. Returns those that failed. */
export function runBeside(): string[] {
  return BESIDE.filter((script) => {
    console.log(`\n== ${script.slice(3)}`);
    const file = fileURLToPath(new URL(script, import.meta.url));
    const loader = import.meta.resolve('../../src/typescript.mjs');
    return spawnSync(process.execPath, ['--import', loader, file], { stdio: 'inherit' }).status !== 0;
  });
}
