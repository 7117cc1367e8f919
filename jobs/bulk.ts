import { backfill } from '../queues/discover.ts';
import { finishImports, type ImportOptions } from '../src/bulk/import.ts';
import { importSource } from '../src/bulk/import-source.ts';
import { openUnitPool } from '../src/bulk/pool.ts';
import { comparableSets } from '../src/bulk/wanted.ts';
import { downloadDataSet, removeLeftDownloads } from '../src/edgar/data-set/download.ts';
import { kindOfDataSet } from '../src/edgar/data-set/published.ts';
import { AppError } from '../src/errors.ts';
import { dataSetsNamed, noteDataSetFailure, noteUnpublished } from '../src/store/filing/data-sets.ts';
import { lastBackfill } from '../src/store/filing/index-days.ts';
import type { Job, JobContext } from './worker/context.ts';

/**
 * Imports the data sets that bring the days held back, newest first, and then has the indexes of these days
 * read. A set that cannot be had, or that another process imports by now, is tried again with the job; what is done
 * of any set is not repeated.
 */
export const bulk: Job<'bulk'> = async (context, { slot }) => {
  const { db, config, log, mongoUrl, now, producer, stopping } = context;
  const pool = openUnitPool({ mongoUrl, mongoDb: config.mongoDb });
  const isStopped = (): boolean => stopping.aborted;
  const onWait = (dataSet: string): void => log.info({ dataSet }, 'waiting: another process imports it');
  const options = { db, pool, now, isStopped, resume: true, onProgress: () => undefined, onWait };
  const failed: string[] = [];
  const elsewhere: string[] = [];
  await removeLeftDownloads();
  try {
    for (const name of await unsettled(context)) {
      if (isStopped()) break;
      const outcome = await importOne(context, options, name);
      if (outcome === 'failed') failed.push(name);
      if (outcome === 'elsewhere') elsewhere.push(name);
      // What it would hold is read day by day, while the other sets are imported.
      if (outcome === 'unpublished') await producer.enqueue(backfill, { slot });
      // What can be compared is derived while older sets are imported.
      if (outcome === 'imported') await finishImports(options, await comparable(context));
    }
    await finishImports(options);
  } finally {
    await pool.close();
    await removeLeftDownloads();
  }
  if (isStopped()) throw new AppError('stopped', 'the next worker goes on with the import', { retry: true });
  if (failed.length > 0) throw new AppError('data_sets_failed', failed.join(', '), { retry: true });
  if (elsewhere.length > 0) throw new AppError('lock_lost', elsewhere.join(', '), { retry: true });
  await producer.enqueue(backfill, { slot });
};

/** Those of the data sets held for that are still to be imported. */
async function unsettled({ db }: JobContext): Promise<string[]> {
  const { dataSets = [] } = (await lastBackfill(db)) ?? {};
  const known = await dataSetsNamed(db, dataSets);
  return dataSets.filter((name) => [undefined, 'importing'].includes(known.get(name)?.state));
}

/** Those of the data sets held for whose reports have what they are compared with. */
async function comparable({ db }: JobContext): Promise<string[]> {
  const { dataSets = [] } = (await lastBackfill(db)) ?? {};
  const known = await dataSetsNamed(db, dataSets);
  const isStored = (name: string): boolean => ['stored', 'done'].includes(known.get(name)?.state ?? '');
  return comparableSets(dataSets, new Set(dataSets.filter(isStored)));
}

async function importOne(
  { db, edgar, log, now, stopping }: JobContext,
  options: ImportOptions,
  name: string,
): Promise<'imported' | 'unpublished' | 'elsewhere' | 'failed'> {
  const open = () => downloadDataSet(edgar, name, stopping);
  const outcome = await importSource(options, { name, kind: kindOfDataSet(name), open });
  const at = now().toISOString();
  if (outcome === 'unpublished') {
    await noteUnpublished(db, name, at);
    log.info({ dataSet: name }, 'not published');
    return outcome;
  }
  if (outcome instanceof Error && outcome.code === 'lock_lost') {
    log.warn({ dataSet: name }, 'another process took the import over');
    return 'elsewhere';
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
