import { backfill } from '../queues/discover.ts';
import { importSource } from '../src/bulk/import.ts';
import { downloadDataSet, removeLeftDownloads } from '../src/edgar/data-set/download.ts';
import { kindOfDataSet } from '../src/edgar/data-set/published.ts';
import { AppError } from '../src/errors.ts';
import { dataSetsNamed, noteDataSetFailure, noteUnpublished } from '../src/store/filing/data-sets.ts';
import { lastBackfill } from '../src/store/filing/index-days.ts';
import type { Job, JobContext } from './worker/context.ts';

/**
 * Imports the data sets that bring the days held back, newest first, and then has the indexes of these days read. A set
 * that cannot be had is tried again with the job; what is stored of any set is not stored again.
 */
export const bulk: Job<'bulk'> = async (context, { slot }) => {
  const { producer, stopping } = context;
  const failed: string[] = [];
  await removeLeftDownloads();
  try {
    for (const name of await unsettled(context)) {
      if (stopping.aborted) break;
      const outcome = await importOne(context, name);
      if (outcome === 'failed') failed.push(name);
      // What it would hold is read day by day, while the other sets are imported.
      if (outcome === 'unpublished') await producer.enqueue(backfill, { slot });
    }
  } finally {
    await removeLeftDownloads();
  }
  if (stopping.aborted)
    throw new AppError('stopped', 'the next worker goes on with the import', { retry: true });
  if (failed.length > 0) throw new AppError('data_sets_failed', failed.join(', '), { retry: true });
  await producer.enqueue(backfill, { slot });
};

/** Those of the data sets held for that are still to be imported. */
async function unsettled({ db }: JobContext): Promise<string[]> {
  const { dataSets = [] } = (await lastBackfill(db)) ?? {};
  const known = await dataSetsNamed(db, dataSets);
  return dataSets.filter((name) => [undefined, 'importing'].includes(known.get(name)?.state));
}

async function importOne(context: JobContext, name: string): Promise<'imported' | 'unpublished' | 'failed'> {
  const { db, edgar, log, now, stopping } = context;
  const isStopped = (): boolean => stopping.aborted;
  const options = { db, now, isStopped, resume: true, onProgress: () => undefined };
  const open = () => downloadDataSet(edgar, name, stopping);
  const outcome = await importSource(options, { name, kind: kindOfDataSet(name), open });
  const at = now().toISOString();
  if (outcome === 'unpublished') {
    await noteUnpublished(db, name, at);
    log.info({ dataSet: name }, 'not published');
    return outcome;
  }
  // It is noted, so that nobody waits for it without knowing why.
  if (outcome instanceof Error) {
    const { code, message: reason } = outcome;
    await noteDataSetFailure(db, name, { code, reason, at });
    log.error({ dataSet: name, code, reason }, 'a data set was not imported');
    return 'failed';
  }
  if (outcome !== 'stopped') log.info({ ...outcome, failures: outcome.failures.length }, 'imported');
  return 'imported';
}
