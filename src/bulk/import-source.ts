import type { DataSetArchive } from '../edgar/data-set/archive.ts';
import { EdgarError } from '../edgar/error.ts';
import { AppError } from '../errors.ts';
import type { DataSetKind } from '../forms/data-sets.ts';
import { type ImportOptions, type ImportSummary, importDataSet } from './import.ts';

/** A data set that is to be imported. */
export type Source = {
  readonly name: string;
  readonly kind: DataSetKind;
  /** Null for one that is not published. */
  readonly open: () => Promise<DataSetArchive | null>;
};

/** What became of a source. `stopped`: before it was opened, or while it was. An error: it was not imported. */
export type Outcome = ImportSummary | 'unpublished' | 'stopped' | AppError;

/**
 * Opens a data set and imports it. Whatever it fails by is an outcome, so that others go on and what is stored is
 * finished.
 */
export async function importSource(options: ImportOptions, { kind, open }: Source): Promise<Outcome> {
  try {
    const archive = await open();
    if (archive === null) return 'unpublished';
    return (await importDataSet(options, kind, archive).finally(archive.close)) ?? 'stopped';
  } catch (error) {
    return error instanceof EdgarError && options.isStopped() ? 'stopped' : failureOf(error);
  }
}

/** Of an error that is no answer of EDGAR: of the disk, the database or a thread, or a mistake of ours. */
export function failureOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('import_failed', error instanceof Error ? error.message : String(error));
}
