import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { HistorySelection, NamedFiling } from '../../jobs/history.ts';
import type { Services } from '../../packages/embedded/open.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { asOfDate } from '../domain/calendar.ts';
import { type Cik, type IsoDate, parseAccession, parseCik } from '../domain/ids.ts';
import { UsageError } from '../errors.ts';
import { carriedForm, day } from './arguments.ts';
import { type Noted, noteHistory, openNoted, type Run, type Watched, watch } from './filing-history.ts';
import { print, printRows, say, stopSwitch, withContext } from './session.ts';

type Options = {
  readonly cik?: readonly Cik[];
  readonly accessions?: string;
  readonly from?: IsoDate;
  readonly to?: IsoDate;
  readonly form?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
};

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
    .option('--form <type>', 'only filings of this form type', carriedForm)
    .option('--dry-run', 'say how many there are and how long they take, and change nothing')
    .option('--json', 'print the summary, or what a dry run says, as JSON')
    .addHelpText('after', '\nCtrl-C ends the watch, not the work. Exit 1 when a filing could not be had.')
    .action((options: Options, command: Command) => {
      const ways = [options.cik, options.accessions].filter((way) => way !== undefined).length;
      if (ways > 1 || (ways === 0 && options.from === undefined))
        command.error('error: give --cik, --accessions or --from');
      if (options.from !== undefined && options.to !== undefined && options.from > options.to)
        command.error('error: --from is later than --to');
      return withContext((context, services) => run(context, services, options), { retryWrites: false });
    });
}

function addCik(text: string, before: readonly Cik[] = []): readonly Cik[] {
  const cik = parseCik(text);
  if (cik !== null) return [...before, cik];
  throw new InvalidArgumentError('A CIK has at most ten digits.');
}

async function run(context: Context, services: Services, options: Options): Promise<void> {
  const { withEdgar } = await import('../../jobs/worker/open.ts');
  const { signal, end } = stopSwitch('Stopping. Ctrl-C again ends it at once.');
  await withEdgar(context.config, services, (opened) =>
    fetchAll({ context, ...opened, signal }, options),
  ).finally(end);
}

async function fetchAll(run: Run, options: Options): Promise<void> {
  const started = performance.now();
  const selection = await selectionOf(run.context, options);
  const noted = openNoted();
  try {
    await noteHistory(run, selection, { noted, isDryRun: options.dryRun === true });
    if (options.dryRun === true) return sayPlan(run.context.config, noted, options);
    const watched = await watch(run, noted.left);
    report({ ...watched, noted, started }, options);
    if (run.signal.aborted) sayHowToGoOn(noted, options);
  } catch (error) {
    sayHowToGoOn(noted, options);
    throw error;
  }
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

/** Of a selection by days each day is a checkpoint: the command that goes on ends with the oldest one noted. */
function sayHowToGoOn({ isWhole, oldestDay }: Noted, options: Options): void {
  if (options.dryRun === true) return;
  if (isWhole) say(`The workers go on. Watch them again with: ${commandOf(options)}`);
  else if (oldestDay === null) say(`Nothing is noted yet. Begin again with: ${commandOf(options)}`);
  else {
    say(`The filings since ${oldestDay} are noted, and the workers fetch them.`);
    say(`Go on with the days before: ${commandOf({ ...options, to: oldestDay })}`);
  }
}

function commandOf({ cik, accessions, from, to, form }: Options): string {
  const given = { cik: cik?.join(' '), accessions: accessions && `'${accessions}'`, from, to, form };
  const what = Object.entries(given).flatMap(([name, value]) => (value ? [`--${name} ${value}`] : []));
  return `tidemark backfill filings ${what.join(' ')}`;
}

function sayPlan(config: Config, noted: Noted, { json }: Options): void {
  const { fresh, imported, left, stored, unknown, unknownCiks, leftOut, isWhole } = noted;
  if (!isWhole) {
    say('Stopped before the end. Nothing was changed.');
    process.exitCode = 1;
    return;
  }
  if (sayUnknownCiks(unknownCiks)) process.exitCode = 1;
  const minutes = Math.ceil(left.length / (config.edgarRequestsPerSecond * SHARE) / 60);
  const counts = { new: fresh, imported, waiting: left.length - fresh - imported, stored };
  const row = { ...counts, unknown: unknown.length, left_out: leftOut.length, about_minutes: minutes };
  if (json) print(JSON.stringify({ dry_run: true, ...row, unknown_ciks: unknownCiks }, null, 2));
  else printRows([row], false, '');
}

type Outcome = Watched & { readonly noted: Noted; readonly started: number };

function report({ failures, fetched, left, noted, started }: Outcome, { json }: Options): void {
  const { unknown, unknownCiks, leftOut, stored, isWhole } = noted;
  const seconds = Math.round((performance.now() - started) / 1_000);
  const isComplete = isWhole && left === 0;
  if (json) {
    const lists = { failures, unknown, unknown_ciks: unknownCiks, left_out: leftOut };
    print(JSON.stringify({ complete: isComplete, fetched, left, stored, ...lists, seconds }, null, 2));
  } else {
    const absent = { failed: failures.length, unknown: unknown.length, left_out: leftOut.length };
    printRows([{ fetched, stored, left, ...absent, seconds }], json, '');
    for (const { accession, code, reason } of failures) say(`${accession}: ${code}: ${reason}`);
    for (const accession of unknown) say(`${accession}: EDGAR does not list it: name it with its CIK`);
    for (const accession of leftOut)
      say(`${accession}: left out: its form is not carried or not asked for, or its day is not`);
  }
  const hasUnknownCik = sayUnknownCiks(unknownCiks);
  if (!isComplete || hasUnknownCik || failures.length + unknown.length > 0) process.exitCode = 1;
}

function sayUnknownCiks(ciks: readonly Cik[]): boolean {
  for (const cik of ciks) say(`${cik}: EDGAR knows no filer or issuer with this CIK`);
  return ciks.length > 0;
}
