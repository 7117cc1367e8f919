import type { Command } from 'commander';
import { indexStatus } from '../derive/corpus/index-status.ts';
import { mostObserved, pipelineStatus } from '../derive/corpus/status.ts';
import { isAccession } from '../domain/ids.ts';
import { UsageError } from '../errors.ts';
import { filingsIn } from '../store/filing/filings.ts';
import { print, printRows, say, withStore } from './session.ts';

const MAX_LISTED = 1_000;
const RETRIED_STATE = { $cond: [{ $eq: ['$raw', []] }, 'discovered', 'fetched'] };

/** `tidemark failures list|retry`: filings that could not be parsed. */
export function addFailures(program: Command): void {
  const failures = program
    .command('failures')
    .description('Quarantined filings: those that could not be parsed.');
  failures
    .command('list')
    .description('List them with their reasons.')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withStore(async ({ db }) => {
        const docs = await filingsIn(db)
          .find({ state: 'quarantined' }, { sort: { _id: 1 }, limit: MAX_LISTED })
          .toArray();
        const rows = docs.map((doc) => ({
          accession_number: doc._id,
          form: doc.form,
          filed: doc.filedDate,
          code: doc.quarantine?.code ?? '',
          reason: doc.quarantine?.reason ?? '',
          ...(options.json ? { raw_hash: doc.raw.at(-1) ?? null } : {}),
        }));
        printRows(rows, options.json, 'No filing is quarantined.');
      }),
    );
  failures
    .command('retry <accession>')
    .description('Parse the stored bytes of one of them again. Fetch it when no bytes are stored.')
    .action((accession: string) =>
      withStore(async ({ db, now }) => {
        if (!isAccession(accession)) throw new UsageError(`${accession}: not an accession number`);
        const again = { quarantine: null, nextAt: now().toISOString() };
        const found = await filingsIn(db).findOneAndUpdate({ _id: accession, state: 'quarantined' }, [
          { $set: { ...again, fence: { $add: ['$fence', 1] }, state: RETRIED_STATE } },
        ]);
        if (found === null) throw new UsageError(`${accession} is not quarantined`);
        say(`The next worker will retry ${accession}.`);
      }),
    );
}

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
