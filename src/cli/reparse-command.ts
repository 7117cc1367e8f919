import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import type { Outcome, Reparsed } from '../../jobs/reparse.ts';
import { loadConfig } from '../config.ts';
import type { IsoDate, Ticker } from '../domain/ids.ts';
import { MisuseError } from '../errors.ts';
import { carriedForm, day, tickers, wholeNumber } from './arguments.ts';
import { progressBar } from './progress-bar.ts';
import { type BriefTally, sayTally, tallyBriefs, tallyJson } from './rebuilt-briefs.ts';
import { print, say, withServices } from './session.ts';

type Options = {
  readonly form?: string;
  readonly since?: IsoDate;
  readonly dryRun?: boolean;
  readonly tickers?: readonly Ticker[];
  readonly briefs: number;
  readonly json?: boolean;
};

/** Said for each outcome, in this order. */
const SAID: Record<Outcome, string> = {
  same: 'read the same',
  changed: 'read otherwise',
  accepted: 'were quarantined and can be read',
  refused: 'could be read and are quarantined',
  failed: 'still cannot be read',
  crashed: 'broke the parser and stay as they are',
  lost: 'have no readable bytes',
  moved: 'were taken by a worker, or are not followed yet: run this again',
};

/** EDGAR is not asked, so no User-Agent is needed. */
const NOWHERE = 'http://127.0.0.1:9';

/** An operator has to look at these. */
const BAD: readonly Outcome[] = ['refused', 'crashed', 'lost', 'moved'];

/** Briefs that a dry run names, unless it is told otherwise. */
const NAMED = 20;
const MAX_NAMED = 10_000;

/** `tidemark reparse`: stored bytes are read again by the present parsers. */
export function addReparse(program: Command): void {
  program
    .command('reparse')
    .option('--form <type>', 'only filings of this form type', carriedForm)
    .option('--since <date>', 'only filings filed since this day', day)
    .option('--dry-run', 'say what would change and change nothing')
    .option('--tickers <list>', 'in a dry run, build briefs of these tickers only, as AAPL,KO', tickers)
    .option(
      '--briefs <count>',
      'in a dry run, name so many briefs that would be corrected',
      wholeNumber(MAX_NAMED),
      NAMED,
    )
    .option('--json', 'print the changed filings and the counts as JSON')
    .addHelpText(
      'after',
      '\nA dry run also builds the briefs of an older algorithm, and says which figures would change; not of a portion (--form, --since).\nWorkers recompute what follows. Stopped at any point it loses nothing: run it again to go on.',
    )
    .action(run);
}

async function run(options: Options): Promise<void> {
  if (options.tickers !== undefined && options.dryRun !== true)
    throw new MisuseError('--tickers needs --dry-run: readings are replaced by --form and --since');
  const config = { ...loadConfig(), logLevel: 'warn' as const, edgarUrl: NOWHERE };
  await withServices(config, async (services) => {
    const [{ openPipeline }, { countOutdated, reparse }] = await Promise.all([
      import('../../jobs/worker/open.ts'),
      import('../../jobs/reparse.ts'),
    ]);
    const pipeline = await openPipeline(config, services, { parseThreads: availableParallelism() });
    const bar = progressBar('Reading again |{bar}| {value}/{total} filings, {eta_formatted} left');
    const tally = openTally();
    const { context } = pipeline;
    let briefs: BriefTally | null = null;
    try {
      bar.start(await countOutdated(context, options), 0);
      await reparse(context, options, {
        isDryRun: options.dryRun === true,
        concurrency: availableParallelism(),
        each: (one) => {
          tally.note(one);
          bar.increment();
        },
      });
      bar.stop();
      if (hasBriefs(options)) briefs = await tallyBriefs(context.db, wantedOf(options, context.now()));
    } finally {
      bar.stop();
      await pipeline.close();
    }
    report(tally, options, briefs);
  });
}

/** A portion of the filings says nothing of an algorithm. */
function hasBriefs({ dryRun, form, since }: Options): boolean {
  return dryRun === true && form === undefined && since === undefined;
}

function wantedOf(options: Options, now: Date) {
  return { tickers: options.tickers ?? null, named: options.briefs, at: now.toISOString() };
}

type Tally = ReturnType<typeof openTally>;

/** Counts every filing and keeps those that are told: most are the same. */
function openTally() {
  const counts = Object.fromEntries(Object.keys(SAID).map((outcome) => [outcome, 0])) as Record<
    Outcome,
    number
  >;
  const told: object[] = [];
  return {
    counts,
    told,
    note({ accession, ...one }: Reparsed): void {
      counts[one.outcome] += 1;
      if (one.outcome !== 'same' && one.outcome !== 'failed')
        told.push({ accession_number: accession, ...one });
    },
  };
}

function report({ counts, told }: Tally, { dryRun, json }: Options, briefs: BriefTally | null): void {
  const built = briefs === null ? {} : { briefs: tallyJson(briefs) };
  if (json) print(JSON.stringify({ dry_run: dryRun === true, counts, filings: told, ...built }, null, 2));
  else for (const row of told) print(Object.values(row).join('\t'));
  sayFilings(counts, dryRun === true);
  if (briefs !== null) sayTally(briefs, json === true);
  if (dryRun !== true && BAD.some((outcome) => counts[outcome] > 0)) process.exitCode = 1;
}

function sayFilings(counts: Tally['counts'], isDryRun: boolean): void {
  const counted = Object.entries(counts).filter(([, count]) => count > 0);
  for (const [outcome, count] of counted) {
    say(`${count} ${count === 1 ? 'filing' : 'filings'}: ${SAID[outcome as Outcome]}`);
  }
  if (counted.length === 0) say('The present parsers have read every stored filing of this selection.');
  else if (isDryRun) say('Nothing was changed. Run it without --dry-run to replace the readings.');
  else say('Workers recompute what follows from these.');
}
