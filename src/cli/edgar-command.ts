import type { Command } from 'commander';
import { FAULTS, type FaultPlan } from '../../packages/local-edgar/faults.ts';
import { type LocalEdgar, serveLocalEdgar } from '../../packages/local-edgar/serve.ts';
import { loadConfig } from '../config.ts';
import type { IsoDate } from '../domain/ids.ts';
import { createLogger } from '../log.ts';
import { day, faultShares, wholeNumber } from './arguments.ts';
import { say, untilStopSignal } from './session.ts';

const DEFAULT_PORT = 8090;
const MAX_PORT = 65_535;
const MAX_SEED = 2 ** 31;

type Options = {
  readonly port: number;
  readonly asOf?: IsoDate;
  readonly faults?: FaultPlan['shares'];
  readonly seed: number;
};

/** `tidemark edgar serve DIR`. */
export function addEdgar(program: Command): void {
  program
    .command('edgar')
    .command('serve <dir>')
    .description(
      'Serve feed, daily indexes, submissions and reference files of a folder of full submissions.',
    )
    .option('--port <n>', '0 takes a free port', wholeNumber(MAX_PORT), DEFAULT_PORT)
    .option('--as-of <date>', 'hide filings filed after this day (default: TIDEMARK_AS_OF)', day)
    .option(
      '--faults <name=share,...>',
      'misbehave in these shares of all answers, as listed below',
      faultShares,
    )
    .option('--seed <n>', 'which answers are faulty', wholeNumber(MAX_SEED), 1)
    .addHelpText('after', faultHelp())
    .action(async (dir: string, options: Options) => {
      const config = loadConfig();
      const asOf = options.asOf ?? config.asOf ?? null;
      const log = createLogger(config.logLevel, 'edgar');
      const faults = options.faults && { seed: options.seed, shares: options.faults };
      const edgar = await serveLocalEdgar({ dir, port: options.port, host: config.host, asOf, faults, log });
      say(`A local EDGAR with ${edgar.folder().filings.length} filings listens on ${edgar.url}`);
      await untilStopSignal();
      sayRequests(edgar);
      await edgar.close();
    });
}

function sayRequests({ requests }: LocalEdgar): void {
  const { total, busiestSecond, faults } = requests();
  const shown = Object.entries(faults).map(([fault, count]) => `${fault} ${count}`);
  say(`It saw ${total} requests, at most ${busiestSecond} in one second.`);
  if (shown.length > 0) say(`Faults: ${shown.join(', ')}`);
}

function faultHelp(): string {
  const lines = Object.entries(FAULTS).map(([fault, { about }]) => `  ${fault.padEnd(18)} ${about}`);
  return ['', 'Faults:', ...lines].join('\n');
}
