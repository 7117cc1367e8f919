import { Command } from 'commander';
import { isIsoDate } from '../../src/domain/ids.ts';
import { UsageError } from '../../src/errors.ts';
import { parsedOptions } from '../command-options.ts';

/** On this day the bundled filings have both legs: all reports of 2023-03-31 are due, and Forms 4 fill the window. */
export const DEFAULT_AS_OF = '2023-05-31';

type DemoOptions = { readonly once: boolean; readonly asOf: string };

/** Null when `--help` was printed. Throws a UsageError for wrong options. */
export function readOptions(argv: readonly string[], env: NodeJS.ProcessEnv): DemoOptions | null {
  const command = new Command('npm run demo --')
    .description('Ingest the bundled SEC filings through the whole pipeline and serve them until Ctrl-C.')
    .option('--once', 'make the calls, print the brief and one line of JSON, and exit')
    .option('--as-of <date>', `the day to use as "today" (default: TIDEMARK_AS_OF, else ${DEFAULT_AS_OF})`);
  const given = parsedOptions<{ once?: boolean; asOf?: string }>(command, argv);
  if (given === null) return null;
  const asOf = given.asOf ?? (env['TIDEMARK_AS_OF'] || DEFAULT_AS_OF);
  if (!isIsoDate(asOf)) throw new UsageError(`--as-of ${asOf}: a date looks like ${DEFAULT_AS_OF}`);
  return { once: given.once === true, asOf };
}
