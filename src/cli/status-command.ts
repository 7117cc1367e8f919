import type { Command } from 'commander';
import { mostObserved, pipelineStatus } from '../derive/corpus/status.ts';
import { print, withStore } from './session.ts';

/** `tidemark status`. */
export function addStatus(program: Command): void {
  program
    .command('status')
    .description('Print the progress of the pipeline: filings by state, events, briefs, pending work.')
    .option('--json', 'print one JSON object')
    .action((options: { json?: boolean }) =>
      withStore(async ({ db }) => {
        const best = await mostObserved(db);
        const status = {
          ...(await pipelineStatus(db)),
          most_observed_ticker: best?.ticker ?? null,
          brief_id: best?.briefId ?? null,
        };
        if (options.json) return print(JSON.stringify(status));
        for (const [name, value] of Object.entries(status)) print(`${name.padEnd(22)}${value}`);
      }),
    );
}
