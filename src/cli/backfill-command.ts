import type { Command } from 'commander';
import type { Services } from '../../packages/embedded/open.ts';
import { type DataSetKind, type ImportOptions, type ImportSummary, importSource } from '../bulk/import.ts';
import type { Context } from '../context.ts';
import { turnToday } from '../derive/corpus/as-of.ts';
import { asOfDate } from '../domain/calendar.ts';
import type { QuarterEnd } from '../domain/ids.ts';
import { quarterEndOn, quarterLabel } from '../domain/quarter.ts';
import { removeLeftDownloads } from '../edgar/data-set/download.ts';
import { EdgarError } from '../edgar/error.ts';
import { AppError } from '../errors.ts';
import { ensureIndexes } from '../store/mongo/indexes.ts';
import { quarter } from './arguments.ts';
import { addBackfillFilings } from './backfill-filings-command.ts';
import {
  fileSources,
  type Plan,
  type PlannedSource,
  publishedSources,
  requirePublished,
} from './backfill-sources.ts';
import { importBar } from './progress-bar.ts';
import { print, printRows, say, stopSwitch, withContext } from './session.ts';

type Given = {
  readonly file?: readonly string[];
  readonly from?: QuarterEnd;
  readonly to?: QuarterEnd;
  readonly resume?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
};

type Options = Given & { readonly kind: DataSetKind };

const ABOUT: Readonly<Record<DataSetKind, string>> = {
  '13f': 'Import Form 13F data sets: files oldest first, published ones newest first.',
  form4: 'Import insider transactions data sets (Forms 4 and 4/A of them), in the same way.',
};

/** `tidemark backfill 13f`, `form4` and `filings`. */
export function addBackfill(program: Command): void {
  const backfill = program.command('backfill');
  for (const kind of Object.keys(ABOUT) as DataSetKind[]) addDataSets(backfill, kind);
  addBackfillFilings(backfill);
}

function addDataSets(backfill: Command, kind: DataSetKind): void {
  backfill
    .command(kind)
    .description(ABOUT[kind])
    .option('--file <path...>', 'a zip, a folder of its tables, or a folder with several of these')
    .option('--from <quarter>', 'download the sets of filings since this quarter, as 2013Q2', quarter)
    .option('--to <quarter>', 'and until this one (default: the present one)', quarter)
    .option('--resume', 'go on where an interrupted import of the same data sets ended')
    .option('--dry-run', 'say what would be imported and about how long it takes, and change nothing')
    .option('--json', 'print the summary, or what a dry run says, as JSON')
    .addHelpText(
      'after',
      '\nCtrl-C ends it after the unit that is being imported. Exit 1 when anything failed.',
    )
    .action((options: Given, command: Command) => {
      if ((options.file === undefined) === (options.from === undefined))
        command.error('error: give either --file or --from');
      if (options.file !== undefined && options.to !== undefined)
        command.error('error: --to narrows --from; --file imports what it names');
      const act = (context: Context, services: Services) => run(context, services, { ...options, kind });
      return withContext(act, { retryWrites: false });
    });
}

async function run(context: Context, services: Services, options: Options): Promise<void> {
  const { signal, end } = stopSwitch(
    'Ending the unit that is being imported. Ctrl-C again ends it at once.',
    `Go on with: tidemark backfill ${options.kind} ${wantedOf(options)} --resume`,
  );
  const started = { context, services, signal };
  const use = (sources: readonly PlannedSource[]): Promise<void> =>
    options.dryRun === true ? sayPlan(sources, options.json) : importAll(started, sources, options);
  await withSources(started, options, use).finally(end);
}

function wantedOf({ file = [], from, to }: Options): string {
  if (from === undefined) return `--file ${file.map((path) => `'${path}'`).join(' ')}`;
  return `--from ${quarterLabel(from)}${to === undefined ? '' : ` --to ${quarterLabel(to)}`}`;
}

type Run = { readonly context: Context; readonly services: Services; readonly signal: AbortSignal };

async function withSources(
  { context, services, signal }: Run,
  { kind, file, from, to, resume = false }: Options,
  use: (sources: readonly PlannedSource[]) => Promise<void>,
): Promise<void> {
  const { db, config, now } = context;
  if (from === undefined) return use(await fileSources(db, kind, file ?? []));
  const { withEdgar } = await import('../../jobs/worker/open.ts');
  const today = asOfDate(config.asOf ?? null, now().getTime());
  const wanted = { kind, from, to: to ?? quarterEndOn(today) };
  requirePublished(wanted);
  await removeLeftDownloads();
  await withEdgar(config, services, async ({ edgar }) => {
    await use(await publishedSources(db, wanted, { edgar, signal, resume }));
  }).finally(removeLeftDownloads);
}

async function importAll(run: Run, sources: readonly PlannedSource[], options: Options): Promise<void> {
  const { db, now } = run.context;
  await ensureIndexes(db);
  await turnToday(run.context);
  const bar = importBar();
  const isStopped = (): boolean => run.signal.aborted;
  const importing = { db, now, resume: options.resume === true, isStopped, onProgress: bar.show };
  const summaries: ImportSummary[] = [];
  for (const source of sources) {
    if (isStopped()) break;
    summaries.push(...(await summaryOf(importing, source)));
  }
  bar.stop();
  report(summaries, options);
  const failed = summaries.some(({ failures, strays }) => failures.length + strays.length > 0);
  if (isStopped() || failed) process.exitCode = 1;
}

async function summaryOf(importing: ImportOptions, source: PlannedSource): Promise<ImportSummary[]> {
  const outcome = await importSource(importing, source);
  if (outcome instanceof AppError) return [notImported(source.name, outcome)];
  if (outcome === 'unpublished') say(`${source.name} is not published.`);
  return typeof outcome === 'string' ? [] : [outcome];
}

function notImported(dataSet: string, { code, message: reason }: AppError): ImportSummary {
  const nothing = { filings: 0, rows: 0, known: 0, strays: [], seconds: 0 };
  return { dataSet, complete: false, ...nothing, failures: [{ key: dataSet, code, reason }] };
}

async function sayPlan(sources: readonly PlannedSource[], json: boolean | undefined): Promise<void> {
  const plans: Plan[] = [];
  for (const { name, plan } of sources) {
    try {
      plans.push(await plan());
    } catch (error) {
      if (!(error instanceof EdgarError)) throw error;
      say(`${name}: ${error.code}: ${error.message}`);
      process.exitCode = 1;
    }
  }
  printRows(plans, json, 'Nothing is left to import.');
  const minutes = Math.ceil(plans.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
  say(`An estimate for two cores: about ${minutes} min in all. Downloads come on top.`);
}

function report(summaries: readonly ImportSummary[], { kind, json }: Options): void {
  if (json) {
    print(JSON.stringify(summaries, null, 2));
    return;
  }
  const rows = summaries.map(({ dataSet, complete, filings, rows, known, ...rest }) => ({
    dataSet,
    state: complete ? 'complete' : 'incomplete',
    filings,
    ...(kind === '13f' ? { rows } : {}),
    known,
    failed: rest.failures.length + rest.strays.length,
    seconds: Math.round(rest.seconds),
  }));
  printRows(rows, json, 'Nothing was imported.');
  for (const { failures, strays } of summaries) {
    for (const { key, code, reason } of failures) say(`${key}: ${code}: ${reason}`);
    for (const { table, line, reason } of strays) say(`${table} line ${line}: ${reason}`);
  }
  say(
    'A worker computes what follows: reports, peers, trades, briefs, search, leaderboard (tidemark status).',
  );
}
