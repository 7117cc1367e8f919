import type { Command } from 'commander';
import { indexStatus } from '../derive/corpus/index-status.ts';
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
        const index = await indexStatus(db);
        if (options.json) return print(JSON.stringify({ ...status, ...index }));
        const lines = {
          ...status,
          indexed_through: index.indexed_through,
          withdrawn: index.withdrawn.length,
        };
        for (const [name, value] of Object.entries(lines)) print(`${name.padEnd(22)}${value}`);
        for (const accession of index.withdrawn) print(`withdrawn from the index: ${accession}`);
        for (const { day, reason, message } of index.index_alarms) {
          print(`ALARM ${day} ${reason}: ${message}`);
        }
      }),
    );
}
