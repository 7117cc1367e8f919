import type { Command } from 'commander';
import { openHighestSeq } from '../credits/notices.ts';
import { checkEvents } from '../read/audit/events.ts';
import { saveEventCheck } from '../store/filing/events.ts';
import { wholeNumber } from './arguments.ts';
import { print, printNamed, say, withContext } from './session.ts';

/** Of a number of the stream; `--above` reaches further than any stream. */
const MAX_SEQ = 9_000_000_000;

/** `tidemark events check|restore-fence`. */
export function addEvents(program: Command): void {
  const events = program.command('events');
  events
    .command('check')
    .description('Prove that each filing has one event and no number is missing. Exit 1 otherwise.')
    .option('--json', 'print one JSON object')
    .action((options: { readonly json?: boolean }) => check(options.json === true));
  events
    .command('restore-fence')
    .description('After MongoDB was restored from an older copy: number events behind all that readers saw.')
    .option(
      '--above <number>',
      'a number that was published, when the credits Redis is lost too',
      wholeNumber(MAX_SEQ),
    )
    .addHelpText('after', '\nStop all workers first. Safe to repeat.')
    .action((options: { readonly above?: number }) => fence(options.above));
}

function check(isJson: boolean): Promise<void> {
  return withContext(async ({ config, creditsRedis, db, now }) => {
    const highest = openHighestSeq(creditsRedis, config.creditsTag, db.databaseName);
    const result = await checkEvents(db, await highest.read(), now());
    await saveEventCheck(db, result);
    const { problems, ...counts } = result;
    if (isJson) print(JSON.stringify(result));
    else printNamed(counts);
    if (!isJson) for (const { code, message } of problems) print(`PROBLEM ${code}: ${message}`);
    if (result.problem_count > 0) process.exitCode = 1;
  });
}

async function fence(above: number | undefined): Promise<void> {
  const [{ withQueue }, { restoreFence }] = await Promise.all([
    import('../../jobs/worker/open.ts'),
    import('../../jobs/restore-fence.ts'),
  ]);
  await withContext(({ config, creditsRedis, db, now }, services) =>
    withQueue(config, services, async ({ producer }) => {
      const highestSeq = openHighestSeq(creditsRedis, config.creditsTag, db.databaseName);
      const { gap, renumbered } = await restoreFence({ db, producer, highestSeq, now }, above);
      if (gap === null) say('MongoDB has every number that was published: nothing is fenced off.');
      else print(`The next event is number ${gap.to + 1}. ${gap.from} to ${gap.to} are not used.`);
      if (renumbered > 0) say(`${renumbered} filings are published again.`);
    }),
  );
}
