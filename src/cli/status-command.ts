import type { Command } from 'commander';
import { type IndexStatus, indexStatus } from '../derive/corpus/index-status.ts';
import { pipelineProgress } from '../derive/corpus/progress.ts';
import { pipelineStatus } from '../derive/corpus/status.ts';
import { mostObserved } from '../read/brief/most-observed.ts';
import { referenceAlarms } from '../store/filing/reference-alarms.ts';
import { print, withStore } from './session.ts';

type Options = { readonly totals?: boolean; readonly json?: boolean };

/** `tidemark status`. */
export function addStatus(program: Command): void {
  program
    .command('status')
    .description('Print the progress of the pipeline: filings by state, events, briefs, pending work.')
    .option('--totals', 'read every filing for exact totals, by form, with the rows of 13F')
    .option('--json', 'print one JSON object')
    .action((options: Options) =>
      withStore(async ({ db, now }) => {
        const best = await mostObserved(db, now);
        const status = {
          ...(await (options.totals ? pipelineStatus(db) : pipelineProgress(db))),
          most_observed_ticker: best?.ticker ?? null,
          brief_id: best?.briefId ?? null,
        };
        const index = await indexStatus(db);
        const files = await referenceAlarms(db);
        const alarms = files.map(({ _id, ...alarm }) => ({ file: _id, ...alarm }));
        if (options.json) print(JSON.stringify({ ...status, ...index, reference_alarms: alarms }));
        else printLines(status, index);
        if (!options.json)
          for (const { file, code, message } of alarms) print(`ALARM ${file} ${code}: ${message}`);
      }),
    );
}

function printLines(status: object, index: IndexStatus): void {
  const lines = {
    ...status,
    indexed_through: index.indexed_through,
    withdrawn: index.withdrawn.length,
  };
  for (const [name, value] of Object.entries(lines)) print(`${name.padEnd(22)}${value}`);
  for (const accession of index.withdrawn) print(`withdrawn from the index: ${accession}`);
  for (const { day, reason, message } of index.index_alarms) print(`ALARM ${day} ${reason}: ${message}`);
}
