import type { Command } from 'commander';
import { isAccession } from '../domain/ids.ts';
import { UsageError } from '../errors.ts';
import { filingsIn } from '../store/filing/filings.ts';
import { print, say, withContext } from './session.ts';

const LIST_LIMIT = 1_000;
const RETRIED_STATE = { $cond: [{ $eq: ['$raw', []] }, 'discovered', 'fetched'] };

/** `tidemark failures list|retry`: filings that could not be parsed. */
export function addFailures(program: Command): void {
  const failures = program
    .command('failures')
    .description('Filings set aside because they could not be parsed.');
  failures
    .command('list')
    .description('List them with their reasons.')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) =>
      withContext(async ({ db }) => {
        const docs = await filingsIn(db)
          .find({ state: 'quarantined' })
          .sort({ _id: 1 })
          .limit(LIST_LIMIT)
          .toArray();
        const rows = docs.map((doc) => ({
          accession_number: doc._id,
          form: doc.form,
          filed: doc.filedDate,
          code: doc.quarantine?.code ?? '',
          reason: doc.quarantine?.reason ?? '',
          raw_hash: doc.raw.at(-1) ?? null,
        }));
        if (options.json) return print(JSON.stringify(rows, null, 2));
        for (const row of rows) print(Object.values(row).slice(0, 5).join('\t'));
        if (rows.length === 0) say('Nothing is quarantined.');
      }),
    );
  failures
    .command('retry <accession>')
    .description('Parse the stored bytes of one of them again, or fetch it where none are stored.')
    .action((accession: string) =>
      withContext(async ({ db }) => {
        if (!isAccession(accession)) throw new UsageError(`${accession}: not an accession number`);
        const now = new Date().toISOString();
        const again = { quarantine: null, nextAt: now };
        const found = await filingsIn(db).findOneAndUpdate({ _id: accession, state: 'quarantined' }, [
          { $set: { ...again, fence: { $add: ['$fence', 1] }, state: RETRIED_STATE } },
        ]);
        if (found === null) throw new UsageError(`${accession} is not quarantined`);
        say(`${accession} will be tried again by the next worker.`);
      }),
    );
}
