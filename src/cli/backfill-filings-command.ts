import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { HistoryFailure, HistoryPlan, HistorySelection, NamedFiling } from '../../jobs/history.ts';
import type { Producer } from '../../jobs/worker/producer.ts';
import { QUEUES } from '../../queues/index.ts';
import { type Config, loadConfig } from '../config.ts';
import { type Context, openContext } from '../context.ts';
import { asOfDate } from '../domain/calendar.ts';
import { type Accession, type Cik, type IsoDate, parseAccession, parseCik } from '../domain/ids.ts';
import type { EdgarClient } from '../edgar/client/open.ts';
import type { Services } from '../embedded/open.ts';
import { UsageError } from '../errors.ts';
import { requireCurrent } from '../store/version/version.ts';
import { day } from './arguments.ts';
import { progressBar } from './progress-bar.ts';
import { onStopSignal, print, say, withServices } from './session.ts';

type Options = {
  readonly cik?: readonly Cik[];
  readonly accessions?: string;
  readonly from?: IsoDate;
  readonly to?: IsoDate;
  readonly form?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
};

const TICK_MS = 2_000;
/** Filings that one look asks for: the newest that are left, as the workers take them. */
const LOOK = 500;
/** Of EDGAR's rate; the rest is kept for live filings (rule 13.4). */
const SHARE = 0.8;

/** `tidemark backfill filings`. */
export function addBackfillFilings(backfill: Command): void {
  backfill
    .command('filings')
    .description('Fetch single documents through the queues, behind what is live; they replace imports.')
    .option('--cik <number...>', 'all filings of these filers or issuers', addCik)
    .option('--accessions <file>', 'a line for each: its number, or its path edgar/data/CIK/NUMBER.txt')
    .option('--from <date>', 'filed since this day', day)
    .option('--to <date>', 'filed until this day (default: the present one)', day)
    .option('--form <type>', 'only filings of this form type')
    .option('--dry-run', 'say how many there are and how long they take, and change nothing')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', '\nCtrl-C ends the watch, not the work. Exit 1 when a filing could not be had.')
    .action((options: Options, command: Command) => {
      const ways = [options.cik, options.accessions].filter((way) => way !== undefined).length;
      if (ways > 1 || (ways === 0 && options.from === undefined))
        command.error('error: give --cik, --accessions or --from');
      const config = { ...loadConfig(), logLevel: 'warn' as const };
      return withServices(config, (services) => run(config, services, options));
    });
}

function addCik(text: string, before: readonly Cik[] = []): readonly Cik[] {
  const cik = parseCik(text);
  if (cik !== null) return [...before, cik];
  throw new InvalidArgumentError('A CIK has at most ten digits.');
}

async function run(config: Config, services: Services, options: Options): Promise<void> {
  const { withEdgar } = await import('../../jobs/worker/open.ts');
  const context = await openContext(config, services, 'cli', { retryWrites: false });
  const stop = stopSwitch(options);
  try {
    await requireCurrent(context.db);
    await withEdgar(config, services, (opened) =>
      fetchAll({ context, ...opened, signal: stop.signal }, options),
    );
  } finally {
    stop.end();
    await context.close();
  }
}

type Run = {
  readonly context: Context;
  readonly edgar: EdgarClient;
  readonly producer: Producer;
  readonly signal: AbortSignal;
};

async function fetchAll(run: Run, options: Options): Promise<void> {
  const { context, edgar, signal } = run;
  const history = await import('../../jobs/history.ts');
  const asked = { db: context.db, edgar };
  const selection = await selectionOf(context, options);
  const { found, ...absent } = await history.findHistory(asked, selection, signal);
  const plan = await history.planHistory(asked, found);
  if (options.dryRun === true) return sayPlan(context.config, plan, absent);
  const started = performance.now();
  if (!signal.aborted) await history.wantHistory(asked, plan, context.now());
  const watched = await watch(run, plan);
  report({ ...watched, ...absent, stored: plan.stored.length, started }, options);
}

/** Throws a {@link UsageError} for a line that names no filing. */
async function selectionOf({ config, now }: Context, options: Options): Promise<HistorySelection> {
  const { cik: ciks, accessions: file, from, form } = options;
  const to = options.to ?? asOfDate(config.asOf ?? null, now().getTime());
  const accessions = file === undefined ? undefined : namesIn(await readFile(file, 'utf8'));
  return Object.fromEntries(
    Object.entries({ ciks, accessions, from, to, form }).filter(([, value]) => value !== undefined),
  );
}

function namesIn(text: string): NamedFiling[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').map(nameOf);
}

function nameOf(line: string): NamedFiling {
  const [, cik = '', number = ''] = /^(?:(?:.*\/)?(\d{1,10})\/)?([\d-]{18,20})(?:\.txt)?$/.exec(line) ?? [];
  const accession = parseAccession(number);
  if (accession === null) throw new UsageError(`no accession number: ${line.slice(0, 60)}`);
  return { accession, cik: parseCik(cik) };
}

/** After a signal the workers go on, and the command that watches them again is said. */
function stopSwitch({ cik, accessions, from, to, form }: Options) {
  const stop = new AbortController();
  const end = onStopSignal(() => {
    stop.abort();
    const given = { cik: cik?.join(' '), accessions: accessions && `'${accessions}'`, from, to, form };
    const what = Object.entries(given).flatMap(([name, value]) => (value ? [`--${name} ${value}`] : []));
    say(`The workers go on. Watch them again with: tidemark backfill filings ${what.join(' ')}`);
  });
  return { signal: stop.signal, end };
}

/** Numbers that were given and are not fetched. */
type Absent = { readonly unknown: readonly Accession[]; readonly leftOut: readonly Accession[] };

function sayPlan(config: Config, plan: HistoryPlan, { unknown, leftOut }: Absent): void {
  const { fresh, imported, waiting, stored } = plan;
  const filings = fresh.length + imported.length + waiting.length;
  const minutes = Math.ceil(filings / (config.edgarRequestsPerSecond * SHARE) / 60);
  const counts = { new: fresh.length, imported: imported.length, waiting: waiting.length };
  const others = { stored: stored.length, unknown: unknown.length, 'left out': leftOut.length };
  const shown = Object.entries({ ...counts, ...others });
  print([...shown.map(([name, count]) => `${name} ${count}`), `about ${minutes} min`].join('\t'));
}

type Watched = { readonly fetched: number; readonly failures: HistoryFailure[]; readonly left: number };

/** Shows how far the workers are until nothing is left. A filing that EDGAR lacks is tried again and again. */
async function watch({ context, producer, signal }: Run, plan: HistoryPlan): Promise<Watched> {
  const { endedAmong } = await import('../../jobs/history.ts');
  let left = [...plan.fresh.map(({ accession }) => accession), ...plan.imported, ...plan.waiting];
  const failures: HistoryFailure[] = [];
  const total = left.length;
  const bar = progressBar('Fetching |{bar}| {value}/{total} filings, {eta_formatted} left');
  bar.start(total, 0);
  if (total > 0 && (await producer.workers(QUEUES.fetch.name)) === 0)
    say('No worker is connected: start tidemark work and tidemark schedule.');
  while (left.length > 0 && !signal.aborted) {
    await producer.enqueue(QUEUES.dispatch, { slot: context.now().getTime() });
    await sleep(TICK_MS, undefined, { signal }).catch(() => undefined);
    const looked = left.slice(0, LOOK);
    const one = await endedAmong(context, looked);
    const ended = new Set(one.ended);
    failures.push(...one.failures);
    // Those that wait longer than others are looked at in their turn.
    left = [...left.slice(LOOK), ...looked.filter((accession) => !ended.has(accession))];
    bar.update(total - left.length);
  }
  bar.stop();
  return { fetched: total - left.length - failures.length, failures, left: left.length };
}

type Outcome = Watched & Absent & { readonly stored: number; readonly started: number };

function report({ failures, unknown, leftOut, started, ...counts }: Outcome, { json }: Options): void {
  const seconds = Math.round((performance.now() - started) / 1_000);
  if (json) {
    const lists = { failures, unknown, left_out: leftOut };
    print(JSON.stringify({ complete: counts.left === 0, ...counts, ...lists, seconds }, null, 2));
  } else {
    const { fetched, stored, left } = counts;
    const absent = { failed: failures.length, unknown: unknown.length, 'left out': leftOut.length };
    const shown = Object.entries({ fetched, stored, left, ...absent });
    print([...shown.map(([name, count]) => `${name} ${count}`), `${seconds} s`].join('\t'));
    for (const { accession, code, reason } of failures) say(`${accession}: ${code}: ${reason}`);
    for (const accession of unknown) say(`${accession}: EDGAR does not list it: name it with its CIK`);
    for (const accession of leftOut)
      say(`${accession}: left out: its form is not carried or not asked for, or its day is not`);
  }
  if (counts.left + failures.length + unknown.length > 0) process.exitCode = 1;
}
