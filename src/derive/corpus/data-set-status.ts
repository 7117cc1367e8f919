import type { Db } from 'mongodb';
import { dataSetsNamed } from '../../store/filing/data-sets.ts';
import { backfillState } from '../../store/filing/index-days.ts';

export type DataSetStatus = Awaited<ReturnType<typeof dataSetStatus>>;

/** The data sets that days are held back for, newest first: how far each is, and why one could not be had. */
export async function dataSetStatus(db: Db) {
  const wanted = (await backfillState(db))?.dataSets ?? [];
  const known = await dataSetsNamed(db, wanted);
  return {
    data_sets: wanted.map((name) => {
      const { state = 'waiting', progress, failure = null } = known.get(name) ?? {};
      const isImporting = state === 'importing' && progress !== undefined;
      return {
        name,
        state,
        stage: isImporting ? progress.stage : null,
        percent: isImporting ? Math.floor(Number(progress.share) * 100) : null,
        failure,
      };
    }),
  };
}
