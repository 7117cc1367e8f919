import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Db } from 'mongodb';
import type { DataSetKind, ImportSource } from '../bulk/import.ts';
import { compare } from '../domain/compare.ts';
import { daysOfDataSet } from '../domain/filing/index-coverage.ts';
import { quarterLabel } from '../domain/quarter.ts';
import type { EdgarClient } from '../edgar/client/open.ts';
import { archiveName, type DataSetArchive, openArchive } from '../edgar/data-set/archive.ts';
import { downloadDataSet } from '../edgar/data-set/download.ts';
import { dataSetNames, FIRST_PUBLISHED, type Quarters } from '../edgar/data-set/published.ts';
import { dataSetPaths } from '../edgar/urls.ts';
import { MisuseError, UsageError } from '../errors.ts';
import { findDataSet } from '../store/filing/data-sets.ts';

/** `plan`: what a dry run says of it. */
export type PlannedSource = ImportSource & { readonly plan: () => Promise<Plan> };

/** `seconds` is an estimate for two cores, without a download. */
export type Plan = {
  readonly dataSet: string;
  /** `new`, or what an earlier import of it came to. */
  readonly state: string;
  readonly megabytes: number;
  readonly seconds: number;
  readonly estimatedFrom: 'its size' | 'a usual size';
  /** The file or folder, or the path at the SEC. */
  readonly source: string;
};

/** Bytes of tables that two cores import in a second, measured (docs/benchmarks.md). */
const BYTES_PER_SECOND: Readonly<Record<DataSetKind, number>> = { '13f': 700_000, form4: 450_000 };
/** Bytes of the tables of a quarter of today (docs/benchmarks.md): 3 million rows, 55,000 forms. Older sets are smaller. */
const USUAL_BYTES: Readonly<Record<DataSetKind, number>> = { '13f': 300_000_000, form4: 58_000_000 };

/** Data sets on disk, oldest first. Each is opened when its turn comes, so one that is damaged stops no other. */
export async function fileSources(
  db: Db,
  kind: DataSetKind,
  files: readonly string[],
): Promise<PlannedSource[]> {
  const paths = (await Promise.all(files.map(dataSetsAt))).flat().sort(byDay);
  return paths.map((path) => {
    const plan = async (): Promise<Plan> => {
      const { name, digest, tables, close } = await openArchive(path);
      await close();
      const bytes = [...tables.values()].reduce((sum, size) => sum + size, 0);
      const known = await findDataSet(db, name);
      const state = known?.digest === digest ? known.state : 'new';
      return { dataSet: name, state, ...estimateOf(kind, bytes), estimatedFrom: 'its size', source: path };
    };
    return { name: archiveName(path), kind, open: () => openArchive(path), plan };
  });
}

function estimateOf(kind: DataSetKind, bytes: number): Pick<Plan, 'megabytes' | 'seconds'> {
  return { megabytes: Math.ceil(bytes / 2 ** 20), seconds: Math.ceil(bytes / BYTES_PER_SECOND[kind]) };
}

/** By the days of filing, which names of 2024 and later do not sort by. Those with another name come first. */
function byDay(a: string, b: string): number {
  const firstDay = (path: string): string => {
    try {
      return daysOfDataSet(archiveName(path)).first;
    } catch {
      return '';
    }
  };
  return compare(firstDay(a), firstDay(b)) || compare(basename(a), basename(b));
}

/** The path itself, or the data sets in the folder. */
async function dataSetsAt(path: string): Promise<string[]> {
  if (/\.zip$/i.test(path)) return [path];
  const entries = await readdir(path, { withFileTypes: true }).catch(() => {
    throw new UsageError(`${path} is neither a zip nor a folder`);
  });
  if (entries.some(({ name }) => /\.tsv$/i.test(name))) return [path];
  const zips = entries.filter(({ name }) => /\.zip$/i.test(name));
  if (zips.length === 0) throw new UsageError(`${path} holds no data set`);
  return zips.map(({ name }) => join(path, name));
}

/** Throws {@link MisuseError} for quarters of which the SEC publishes no data set. */
export function requirePublished({ kind, from, to }: Wanted): void {
  const first = FIRST_PUBLISHED[kind];
  if (from < first) throw new MisuseError(`The SEC publishes these data sets since ${quarterLabel(first)}.`);
  if (from > to) throw new MisuseError('--from is later than --to');
}

/** Data sets that the SEC publishes, newest first. Each is downloaded when its turn comes. */
export async function publishedSources(
  db: Db,
  { kind, from, to }: Wanted,
  { edgar, signal, resume }: Download,
): Promise<PlannedSource[]> {
  const sources: PlannedSource[] = [];
  for (const name of dataSetNames(kind, { from, to })) {
    const state = (await findDataSet(db, name))?.state ?? 'new';
    // Its units are done: nothing of it is worth another download.
    if (resume && (state === 'stored' || state === 'done')) continue;
    const open = (): Promise<DataSetArchive | null> => downloadDataSet(edgar, name, signal);
    const estimate = { ...estimateOf(kind, USUAL_BYTES[kind]), estimatedFrom: 'a usual size' } as const;
    const plan = async () => ({ dataSet: name, state, ...estimate, source: dataSetPaths(name)[0] });
    sources.push({ name, kind, open, plan });
  }
  return sources;
}

type Wanted = Quarters & { readonly kind: DataSetKind };

type Download = {
  readonly edgar: EdgarClient;
  readonly signal: AbortSignal;
  /** Leaves out what an earlier import has stored. */
  readonly resume: boolean;
};
