import type { Command } from 'commander';
import { loadConfig } from '../config.ts';
import type { IsoDate } from '../domain/ids.ts';
import { serveLocalEdgar } from '../edgar/local/serve.ts';
import { createLogger } from '../log.ts';
import { day, wholeNumber } from './arguments.ts';
import { say, untilStopSignal } from './session.ts';

const DEFAULT_PORT = 8090;
const MAX_PORT = 65_535;

/** `tidemark edgar serve DIR`. */
export function addEdgar(program: Command): void {
  program
    .command('edgar')
    .description('A local EDGAR for tests, demos and replays.')
    .command('serve <dir>')
    .description(
      'Serve feed, daily indexes, submissions and reference files of a folder of full submissions.',
    )
    .option('--port <n>', '0 takes a free port', wholeNumber(MAX_PORT), DEFAULT_PORT)
    .option('--as-of <date>', 'hide filings filed after this day (default: TIDEMARK_AS_OF)', day)
    .action(async (dir: string, options: { port: number; asOf?: IsoDate }) => {
      const config = loadConfig();
      const asOf = options.asOf ?? config.asOf ?? null;
      const log = createLogger(config.logLevel, 'edgar');
      const edgar = await serveLocalEdgar({ dir, port: options.port, host: config.host, asOf, log });
      say(`A local EDGAR with ${edgar.folder().filings.length} filings listens on ${edgar.url}`);
      await untilStopSignal();
      await edgar.close();
    });
}
