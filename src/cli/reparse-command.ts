import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import type { Outcome, Reparsed } from '../../jobs/reparse.ts';
import { loadConfig } from '../config.ts';
import type { IsoDate } from '../domain/ids.ts';
import { day } from './arguments.ts';
import { progressBar } from './progress-bar.ts';
import { print, say, withServices } from './session.ts';

type Options = {
  readonly form?: string;
  readonly since?: IsoDate;
  readonly dryRun?: boolean;
  readonly json?: boolean;
};

/** Said for each outcome, in this order. */
const SAID: Record<Outcome, string> = {
  same: 'read the same',
  changed: 'read otherwise',
  accepted: 'were quarantined and can be read',
  refused: 'could be read and are quarantined',
  failed: 'are still quarantined',
  lost: 'have no readable bytes',
  moved: 'were taken by a worker: run this again',
};

/** An operator has to look at these. */
const BAD: readonly Outcome[] = ['refused', 'lost', 'moved'];

/** `tidemark reparse`: stored bytes are read again by the present parsers. */
export function addReparse(program: Command): void {
  program
    .command('reparse')
    .description('Read stored filings again that an older parser read, and replace what it said.')
    .option('--form <type>', 'only filings of this form type')
    .option('--since <date>', 'only filings filed since this day', day)
    .option('--dry-run', 'say what would change and change nothing')
    .option('--json', 'print the changed filings and the counts as JSON')
    .addHelpText(
      'after',
      '\nWorkers recompute what follows. Stopped at any point it loses nothing: run it again to go on.',
    )
    .action(run);
}

async function run(options: Options): Promise<void> {
  const config = { ...loadConfig(), logLevel: 'warn' as const };
  await withServices(config, async (services) => {
    const [{ openPipeline }, { countOutdated, reparse }] = await Promise.all([
      import('../../jobs/worker/open.ts'),
      import('../../jobs/reparse.ts'),
    ]);
    const pipeline = await openPipeline(config, services, { parseThreads: availableParallelism() });
    const bar = progressBar('Reading again |{bar}| {value}/{total} filings, {eta_formatted} left');
    try {
      const { context } = pipeline;
      const found: Reparsed[] = [];
      bar.start(await countOutdated(context, options), 0);
      await reparse(context, options, {
        isDryRun: options.dryRun === true,
        concurrency: availableParallelism(),
        each: (one) => {
          found.push(one);
          bar.increment();
        },
      });
      bar.stop();
      report(found, options);
    } finally {
      bar.stop();
      await pipeline.close();
    }
  });
}

function report(found: readonly Reparsed[], { dryRun, json }: Options): void {
  const counts = Object.fromEntries(
    Object.keys(SAID).map((outcome) => [outcome, found.filter((one) => one.outcome === outcome).length]),
  ) as Record<Outcome, number>;
  const told = found
    .filter(({ outcome }) => outcome !== 'same' && outcome !== 'failed')
    .map(({ accession, ...one }) => ({ accession_number: accession, ...one }));
  if (json) print(JSON.stringify({ dry_run: dryRun === true, counts, filings: told }, null, 2));
  else for (const row of told) print(Object.values(row).join('\t'));
  for (const [outcome, what] of Object.entries(SAID)) {
    const count = counts[outcome as Outcome];
    if (count > 0) say(`${count} ${count === 1 ? 'filing' : 'filings'}: ${what}`);
  }
  if (found.length === 0) say('The present parsers have read every stored filing.');
  else if (dryRun) say('Nothing was changed. Run it without --dry-run to replace the readings.');
  else say('Workers recompute what follows from these.');
  if (dryRun !== true && BAD.some((outcome) => counts[outcome] > 0)) process.exitCode = 1;
}
