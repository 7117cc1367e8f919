import type { Db } from 'mongodb';
import type { DataSetArchive } from '../edgar/data-set/archive.ts';
import { type DataSet, readDataSet, type StrayLine } from '../edgar/data-set/filings.ts';
import { EdgarError } from '../edgar/error.ts';
import { AppError } from '../errors.ts';
import type { DataSetFormat } from '../forms/data-set.ts';
import { DATA_SETS, type DataSetKind } from '../forms/index.ts';
import { beginDataSet, findDataSet, noteDataSetProgress, noteStored } from '../store/filing/data-sets.ts';
import { type Imported, importFilings } from './filings.ts';

const NOTED_EVERY_MS = 2_000;

export type ImportOptions = {
  readonly db: Db;
  readonly now: () => Date;
  /** Leaves out what an earlier import of the same bytes has stored to its end. */
  readonly resume: boolean;
  /** True once no further unit should begin. */
  readonly isStopped: () => boolean;
  readonly onProgress: (progress: Progress) => void;
};

export type { DataSetKind };

/** `share` of the data set that is stored, from 0 to 1. */
export type Progress = { readonly dataSet: string; readonly share: number };

/** What is stored of the data set, by this import and by those before it. */
export type ImportSummary = Imported & {
  readonly dataSet: string;
  readonly complete: boolean;
  readonly strays: readonly StrayLine[];
  readonly seconds: number;
};

/** A data set that is to be imported. */
export type ImportSource = {
  readonly name: string;
  readonly kind: DataSetKind;
  /** Null for one that is not published. */
  readonly open: () => Promise<DataSetArchive | null>;
};

/** What became of a source. `stopped`: while it was opened. An error: it was not imported. */
export type Outcome = ImportSummary | 'unpublished' | 'stopped' | AppError;

/** Opens a data set and imports it. Whatever it fails by is an outcome, so that others go on. */
export async function importSource(options: ImportOptions, { kind, open }: ImportSource): Promise<Outcome> {
  try {
    const archive = await open();
    if (archive === null) return 'unpublished';
    return await importDataSet(options, kind, archive).finally(archive.close);
  } catch (error) {
    if (error instanceof EdgarError && options.isStopped()) return 'stopped';
    if (error instanceof AppError) return error;
    // Of the disk or the database, or a mistake of ours.
    return new AppError('import_failed', error instanceof Error ? error.message : String(error));
  }
}

/**
 * Stores the filings of a data set, a unit at a time, each with what follows from it invalidated: workers compute that
 * as they do for documents. Every write is repeatable and what is stored is left out, so an import that was
 * interrupted, or that two processes run at once, is the same in the end.
 */
export async function importDataSet(
  options: ImportOptions,
  kind: DataSetKind,
  archive: DataSetArchive,
): Promise<ImportSummary> {
  const { db, now, resume } = options;
  const { name, digest } = archive;
  const started = performance.now();
  const known = await findDataSet(db, name);
  const isStored = known?.state === 'stored' || known?.state === 'done';
  if (resume && isStored && known.digest === digest)
    return { dataSet: name, complete: true, ...NOTHING, strays: [], seconds: 0 };
  await beginDataSet(db, name, { digest, at: now().toISOString() });
  const format: DataSetFormat = DATA_SETS[kind];
  const dataSet = await readDataSet(archive, format);
  const stored = await storeUnits(options, { name, digest, format, dataSet });
  if (stored.complete) await noteStored(db, name, digest);
  const seconds = (performance.now() - started) / 1_000;
  return { dataSet: name, ...stored, strays: dataSet.strays, seconds };
}

type Reading = {
  readonly name: string;
  readonly digest: string;
  readonly format: DataSetFormat;
  readonly dataSet: DataSet;
};

const NOTHING: Imported = { filings: 0, rows: 0, known: 0, failures: [] };

async function storeUnits(options: ImportOptions, { name, digest, format, dataSet }: Reading) {
  const { db, now, isStopped, onProgress } = options;
  let [stored, read, notedAt] = [NOTHING, 0, 0];
  for await (const filings of dataSet.units()) {
    if (isStopped()) return { ...stored, complete: false };
    const at = now();
    const source = { dataSet: name, digest, format, columns: dataSet.columns, at: at.toISOString() };
    stored = sum(stored, await importFilings(db, filings, source));
    read += filings.length;
    const share = Math.min(1, read / Math.max(1, dataSet.listed.size));
    onProgress({ dataSet: name, share });
    if (at.getTime() - notedAt < NOTED_EVERY_MS) continue;
    notedAt = at.getTime();
    await noteDataSetProgress(db, name, { share, at: source.at });
  }
  return { ...stored, complete: true };
}

function sum(a: Imported, b: Imported): Imported {
  return {
    filings: a.filings + b.filings,
    rows: a.rows + b.rows,
    known: a.known + b.known,
    failures: [...a.failures, ...b.failures],
  };
}
