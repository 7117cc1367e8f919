import { Command } from 'commander';
import { isIsoDate } from '../../src/domain/ids.ts';
import { UsageError } from '../../src/errors.ts';

/** A day on which the bundled filings have institutional changes of two managers and insider trades. */
export const DEFAULT_AS_OF = '2018-11-30';

export type DemoOptions = { readonly once: boolean; readonly asOf: string };

/** Null when `--help` was asked for (and printed). Throws a UsageError for what is not an option. */
export function readOptions(argv: readonly string[], env: NodeJS.ProcessEnv): DemoOptions | null {
  const command = new Command('npm run demo --')
    .description('Ingest the bundled SEC filings through the whole pipeline and serve them until Ctrl-C.')
    .option('--once', 'make the calls, print the brief and one line of JSON, and exit')
    .option('--as-of <date>', `what "today" is (default: TIDEMARK_AS_OF, else ${DEFAULT_AS_OF})`)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  try {
    command.parse([...argv], { from: 'user' });
  } catch (error) {
    if ((error as { code?: string }).code === 'commander.helpDisplayed') return null;
    throw new UsageError(`${(error as Error).message}\nTry: npm run demo -- --help`);
  }
  const given = command.opts<{ once?: boolean; asOf?: string }>();
  const asOf = given.asOf ?? (env['TIDEMARK_AS_OF'] || DEFAULT_AS_OF);
  if (!isIsoDate(asOf)) throw new UsageError(`--as-of ${asOf}: a date looks like ${DEFAULT_AS_OF}`);
  return { once: given.once === true, asOf };
}
