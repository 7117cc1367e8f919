import { type Command, InvalidArgumentError } from 'commander';
import { loadConfig } from '../config.ts';
import { type IsoDate, isIsoDate } from '../domain/ids.ts';
import { serveLocalEdgar } from '../edgar/local/serve.ts';
import { createLogger } from '../log.ts';
import { say, untilStopSignal } from './session.ts';

const DEFAULT_PORT = 8090;

/** `tidemark edgar serve DIR`. */
export function addEdgar(program: Command): void {
  program
    .command('edgar')
    .description('A local EDGAR for tests, demos and replays.')
    .command('serve <dir>')
    .description(
      'Serve feed, daily indexes, submissions and reference files over a folder of full submissions.',
    )
    .option('--port <n>', '0 takes a free one', portNumber, DEFAULT_PORT)
    .option('--as-of <date>', 'filings filed after it do not exist (default: TIDEMARK_AS_OF)', date)
    .action(async (dir: string, options: { port: number; asOf?: IsoDate }) => {
      const config = loadConfig();
      const asOf = options.asOf ?? (config.asOf as IsoDate | undefined) ?? null;
      const log = createLogger(config.logLevel, 'edgar');
      const edgar = await serveLocalEdgar({ dir, port: options.port, host: config.host, asOf, log });
      say(`A local EDGAR with ${edgar.stats.filings} filings listens on ${edgar.url}`);
      await untilStopSignal();
      await edgar.close();
    });
}

export function date(text: string): IsoDate {
  if (!isIsoDate(text)) throw new InvalidArgumentError('A date looks like 2018-11-30.');
  return text;
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError('Not a port.');
  return port;
}
