import type { Db } from 'mongodb';
import { dataSetsNamed } from '../../store/filing/data-sets.ts';
import { lastBackfill } from '../../store/filing/index-days.ts';

type Process = { readonly role: string; readonly about: string; readonly isAlive: boolean };

/** What holds an import up, in words for operators. */
export function dataSetProblems({ data_sets: sets }: DataSetStatus, processes: readonly Process[]): string[] {
  const failed = sets.flatMap(({ name, failure }) =>
    failure === null ? [] : [`data set ${name} ${failure.code}: ${failure.reason}`],
  );
  const isServed = processes.some(
    ({ role, about, isAlive }) => isAlive && role === 'worker' && about.includes('bulk'),
  );
  const open = sets.filter(({ state }) => state === 'waiting' || state === 'importing');
  if (open.length === 0 || isServed) return failed;
  const waiting = `${open.length} data sets wait, no worker of the group bulk is running, and no brief is published before the recent ones are imported: tidemark work --queues bulk`;
  return [...failed, waiting];
}

export type DataSetStatus = Awaited<ReturnType<typeof dataSetStatus>>;

/** The data sets that days are held back for, newest first: how far each is, and why one could not be had. */
export async function dataSetStatus(db: Db) {
  const wanted = (await lastBackfill(db))?.dataSets ?? [];
  const known = await dataSetsNamed(db, wanted);
  return {
    data_sets: wanted.map((name) => {
      const { state = 'waiting', progress, failure = null } = known.get(name) ?? {};
      const isImporting = state === 'importing' && progress !== undefined;
      return {
        name,
        state,
        percent: isImporting ? Math.floor(Number(progress.share) * 100) : null,
        failure,
      };
    }),
  };
}
