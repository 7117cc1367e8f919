import type { DataSetArchive } from '../edgar/data-set/archive.ts';
import { EdgarError } from '../edgar/error.ts';
import type { DataSetKind } from '../forms/data-sets.ts';
import { type ImportOptions, type ImportSummary, importDataSet } from './import.ts';

/** A data set that is to be imported. */
export type Source = {
  readonly name: string;
  readonly kind: DataSetKind;
  /** Null for one that is not published. */
  readonly open: () => Promise<DataSetArchive | null>;
};

/** What became of a source. `stopped`: before it was opened, or while it was. */
export type Outcome = ImportSummary | 'unpublished' | 'stopped' | EdgarError;

/** Opens a data set and imports it. One that cannot be had or read is an outcome, so that others go on. */
export async function importSource(options: ImportOptions, { kind, open }: Source): Promise<Outcome> {
  try {
    const archive = await open();
    if (archive === null) return 'unpublished';
    return (await importDataSet(options, kind, archive).finally(archive.close)) ?? 'stopped';
  } catch (error) {
    if (!(error instanceof EdgarError)) throw error;
    return options.isStopped() ? 'stopped' : error;
  }
}
