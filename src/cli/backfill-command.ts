import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import type { Db } from 'mongodb';
import { finishImports, type ImportSummary, importDataSet } from '../bulk/import.ts';
import { openUnitPool } from '../bulk/pool.ts';
import { type Config, loadConfig } from '../config.ts';
import { type Context, openContext } from '../context.ts';
import { turnAsOf } from '../derive/corpus/as-of.ts';
import { asOfDate } from '../domain/calendar.ts';
import { type DataSetArchive, openArchive } from '../edgar/data-set/archive.ts';
import type { Services } from '../embedded/open.ts';
import { UsageError } from '../errors.ts';
import { findDataSet } from '../store/filing/data-sets.ts';
import { ensureIndexes } from '../store/mongo/indexes.ts';
import { requireCurrent } from '../store/version/version.ts';
import { importBar } from './progress-bar.ts';
import { onStopSignal, print, say, withServices } from './session.ts';

type Options = {
  readonly file: readonly string[];
  readonly resume?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
};

/** `tidemark backfill 13f`. */
export function addBackfill(program: Command): void {
  program
    .command('backfill')
    .description('Import years of filings from the quarterly data sets of the SEC, without the queues.')
    .command('13f')
    .description('Import Form 13F data sets, in the order of their names.')
    .requiredOption('--file <path...>', 'a zip, a folder of its tables, or a folder with several of these')
    .option('--resume', 'go on where an interrupted import of the same files ended')
    .option('--dry-run', 'say what would be imported and change nothing')
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      '\nCtrl-C ends it after the units that are being imported. Exit 1 when anything failed.',
    )
    .action((options: Options) => {
      const config = { ...loadConfig(), logLevel: 'warn' as const };
      return withServices(config, (services) => run(config, services, options));
    });
}

async function run(config: Config, services: Services, options: Options): Promise<void> {
  const context = await openContext(config, services, 'cli', { retryWrites: false });
  const paths = (await Promise.all(options.file.map(dataSetsAt))).flat();
  const archives = await Promise.all(paths.sort(byName).map(openArchive));
  try {
    await requireCurrent(context.db);
    if (options.dryRun === true) await sayPlan(context.db, archives);
    else await importAll(context, archives, { ...options, mongoUrl: services.mongoUrl });
  } finally {
    for (const archive of archives) archive.close();
    await context.close();
  }
}

async function importAll(
  { db, now, config }: Context,
  archives: readonly DataSetArchive[],
  options: Options & { readonly mongoUrl: string },
): Promise<void> {
  await ensureIndexes(db);
  const today = asOfDate(config.asOf ?? null, now().getTime());
  await turnAsOf(db, today, { mayGoBack: config.asOf !== undefined });
  const pool = openUnitPool({ mongoUrl: options.mongoUrl, mongoDb: config.mongoDb });
  const bar = importBar();
  const stop = stopSwitch(options);
  const summaries: ImportSummary[] = [];
  try {
    for (const archive of archives) {
      if (stop.isStopped()) break;
      const run = { db, pool, now, resume: options.resume === true, isStopped: stop.isStopped };
      summaries.push(await importDataSet({ ...run, onProgress: bar.show }, '13f', archive));
    }
    await finishImports(db);
  } finally {
    bar.stop();
    stop.end();
    await pool.close();
  }
  report(summaries, options);
  const failed = summaries.some(({ failures, strays }) => failures.length + strays.length > 0);
  if (stop.isStopped() || failed) process.exitCode = 1;
}

/** After a signal no unit begins, and the command that goes on is said. */
function stopSwitch({ file }: Options) {
  let stopped = false;
  const end = onStopSignal(() => {
    stopped = true;
    const paths = file.map((path) => `'${path}'`).join(' ');
    say(
      `Ending the units that are being imported. Go on with: tidemark backfill 13f --file ${paths} --resume`,
    );
  });
  return { isStopped: () => stopped, end };
}

const byName = (a: string, b: string): number => (basename(a) < basename(b) ? -1 : 1);

/** The path itself, or the data sets in the folder. */
async function dataSetsAt(path: string): Promise<string[]> {
  if (/\.zip$/i.test(path)) return [path];
  const entries = await readdir(path, { withFileTypes: true }).catch(() => {
    throw new UsageError(`${path} is neither a zip nor a folder`);
  });
  if (entries.some(({ name }) => /\.tsv$/i.test(name))) return [path];
  const zips = entries.filter(({ name }) => /\.zip$/i.test(name));
  if (zips.length === 0) throw new UsageError(`${path} holds no data set`);
  return zips.map(({ name }) => join(path, name));
}

/** Bytes of tables that two cores import in a second, measured with filings of 2013Q2 (docs/benchmarks.md). */
const BYTES_PER_SECOND = 700_000;

async function sayPlan(db: Db, archives: readonly DataSetArchive[]): Promise<void> {
  for (const { name, digest, tables } of archives) {
    const known = await findDataSet(db, name);
    const state = known?.digest === digest ? known.state : 'new';
    const bytes = [...tables.values()].reduce((sum, size) => sum + size, 0);
    const seconds = Math.ceil(bytes / BYTES_PER_SECOND);
    print([name, state, `${Math.ceil(bytes / 2 ** 20)} MB`, `about ${seconds} s`].join('\t'));
  }
}

function report(summaries: readonly ImportSummary[], { json }: Options): void {
  if (json) {
    print(JSON.stringify(summaries, null, 2));
    return;
  }
  for (const { dataSet, complete, filings, rows, known, computed, failures, strays, seconds } of summaries) {
    const state = complete ? 'complete' : 'interrupted';
    const counts = { filings, rows, known, reports: computed, failed: failures.length + strays.length };
    const shown = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
    print([dataSet, state, ...shown, `${Math.round(seconds)} s`].join('\t'));
    for (const { key, code, reason } of failures) say(`${key}: ${code}: ${reason}`);
    for (const { table, line, reason } of strays) say(`${table} line ${line}: ${reason}`);
  }
  say('A worker computes what follows: peers, briefs, search and leaderboard (tidemark status).');
}
