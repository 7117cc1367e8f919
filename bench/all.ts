/**
 * Runs the benchmarks one after another and prints one table of all figures with their goals. Exits with 1
 * when a goal is missed by more than 15 %, or a benchmark fails. `--write` puts the figures with a goal into
 * docs/benchmarks.md, where the rows of benchmarks that did not run stay. Some benchmarks install what they compare with
 * on first use; all take about half an hour.
 *
 *   npm run bench [-- --only parse,build] [--write]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { groupBy } from '../src/domain/group.ts';
import { goalText, type Reported, round, verdictOf } from './goals.ts';

/** In the order of the table. Those without a goal, and the full quarter, which takes hours, have their own commands. */
const BENCHES: Readonly<Record<string, string>> = {
  brief: 'brief.ts',
  strangers: 'strangers.ts',
  parse: 'parse.ts',
  build: 'build.ts',
  search: 'search.ts',
  start: 'start.ts',
  live: 'live/live.ts',
  recompare: 'recompare/recompare.ts',
  workers: 'workers/workers.ts',
  scale: 'scale/scale.ts',
};
/** What runs here by itself is left out there. */
const ARGS: Readonly<Record<string, readonly string[]>> = { scale: ['--only-markets'] };
const PAGE = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));
const BEGIN = '<!-- results -->';
const END = '<!-- end of results -->';

const { values } = parseArgs({
  options: { only: { type: 'string' }, write: { type: 'boolean' }, help: { type: 'boolean' } },
});
if (values.help === true)
  console.log(`npm run bench [-- --only ${Object.keys(BENCHES).join(',')}] [--write]`);
else process.exitCode = runAll(chosen(values.only), values.write === true);

function chosen(only: string | undefined): readonly string[] {
  const names = only?.split(',') ?? Object.keys(BENCHES);
  const unknown = names.find((name) => !(name in BENCHES));
  if (unknown !== undefined)
    throw new Error(`no benchmark ${unknown}; there are ${Object.keys(BENCHES).join(', ')}`);
  return names;
}

function runAll(names: readonly string[], writes: boolean): number {
  const scratch = mkdtempSync(join(tmpdir(), 'bench-'));
  const file = join(scratch, 'results.jsonl');
  const failed = names.filter((name) => !run(name, file));
  const results = existsSync(file) ? resultsIn(file) : [];
  rmSync(scratch, { recursive: true });
  const rowsBy = (chosen: readonly Reported[]): Rows =>
    new Map(names.map((name) => [name, rowsOf(chosen.filter(({ bench }) => bench === name))]));
  console.log(`\n${tableOf(rowsBy(results))}`);
  if (writes) writeTable(rowsBy(results.filter((result) => goalText(result) !== '')));
  const missed = results.filter((result) => verdictOf(result) === 'missed');
  for (const { bench, what } of missed) console.log(`missed: ${bench}: ${what}`);
  for (const name of failed) console.log(`failed: ${name}`);
  return missed.length + failed.length === 0 ? 0 : 1;
}

function run(name: string, file: string): boolean {
  console.log(`\n== ${name}`);
  const script = fileURLToPath(new URL(BENCHES[name] ?? '', import.meta.url));
  const env = { ...process.env, BENCH_RESULTS: file };
  return (
    spawnSync(
      process.execPath,
      ['--import', import.meta.resolve('../src/typescript.mjs'), script, ...(ARGS[name] ?? [])],
      {
        env,
        stdio: 'inherit',
      },
    ).status === 0
  );
}

function resultsIn(file: string): Reported[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  // JSON writes null for what could not be measured: such a goal is missed.
  return lines.map((line) => JSON.parse(line, (_, value) => value ?? Number.NaN) as Reported);
}

/** Lines of a table by their benchmark. */
type Rows = ReadonlyMap<string, readonly string[]>;

function rowsOf(results: readonly Reported[]): string[] {
  return results.map(
    (result) =>
      `| ${result.bench} | ${result.what} | ${round(result.value)}${notReached(result)} | ${goalText(result)} |`,
  );
}

function notReached(result: Reported): string {
  const verdict = verdictOf(result);
  return verdict === 'near' || verdict === 'missed' ? ` (${verdict})` : '';
}

function tableOf(rows: Rows): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}.`;
  const lines = Object.keys(BENCHES).flatMap((name) => rows.get(name) ?? []);
  return [machine, '', '| bench | what | measured | goal |', '|---|---|---|---|', ...lines].join('\n');
}

/** A benchmark that failed keeps the rows of an earlier run, and so does one that did not run. */
function writeTable(rows: Rows): void {
  const page = readFileSync(PAGE, 'utf8');
  const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (before < 0 || after < before) throw new Error(`docs/benchmarks.md lacks ${BEGIN} or ${END}`);
  const known = groupBy(
    page.slice(before, after).split('\n'),
    (line) => /^\| (\w+) \|/.exec(line)?.[1] ?? '',
  );
  const written = new Map([...known, ...[...rows].filter(([, lines]) => lines.length > 0)]);
  writeFileSync(
    PAGE,
    `${page.slice(0, before + BEGIN.length)}\n\n${tableOf(written)}\n\n${page.slice(after)}`,
  );
}
