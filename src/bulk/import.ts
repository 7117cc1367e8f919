import type { Db } from 'mongodb';
import { invalidateImported } from '../derive/report/invalidate-imported.ts';
import { batches } from '../domain/group.ts';
import type { Cik } from '../domain/ids.ts';
import type { DataSetArchive } from '../edgar/data-set/archive.ts';
import { readDataSet, type StrayLine } from '../edgar/data-set/filings.ts';
import { DATA_SETS, type DataSetKind } from '../forms/data-sets.ts';
import {
  beginDataSet,
  dataSetsInState,
  doneUnits,
  type Followers,
  noteDataSetProgress,
  setDataSetState,
  type UnitResult,
  type UnitStage,
} from '../store/filing/data-sets.ts';
import { reportKeyOf } from '../store/filing/filings.ts';
import { type Beat, type Predecessor, type Timing, underLock } from '../store/mongo/lock.ts';
import type { UnitPool } from './pool.ts';
import { inParallel } from './unit.ts';
import { filingUnits, type Imported, type Planned, reportUnits } from './units.ts';

const NOTED_EVERY_MS = 2_000;

/** Issuers of one task of a thread. */
const ISSUERS_AT_A_TIME = 64;
/** Managers of one: the rows of their last tables are in memory. */
const MANAGERS_AT_A_TIME = 32;

export type ImportOptions = {
  readonly db: Db;
  readonly pool: UnitPool;
  readonly now: () => Date;
  /** Goes on where an earlier import of the same bytes ended. */
  readonly resume: boolean;
  /** True once no further unit should begin. */
  readonly isStopped: () => boolean;
  readonly onProgress: (progress: Progress) => void;
  /** Called when another process imports the data set: this one waits. */
  readonly onWait?: (dataSet: string) => void;
  /** When another process that imports the data set counts as dead. */
  readonly timing?: Timing;
};

export type { DataSetKind };

/** `share` of the stage that is done, from 0 to 1. */
export type Progress = {
  readonly dataSet: string;
  readonly stage: UnitStage | 'managers' | 'issuers';
  readonly share: number;
  readonly rows: number;
};

export type ImportSummary = {
  readonly dataSet: string;
  readonly complete: boolean;
  readonly filings: number;
  readonly rows: number;
  readonly known: number;
  readonly computed: number;
  readonly failures: UnitResult['failures'];
  readonly strays: readonly StrayLine[];
  readonly seconds: number;
};

/**
 * Imports a data set unit by unit: first all filings, because an amendment may stand anywhere in it, then
 * what their managers reported. A unit that was interrupted is repeated; every write of it is
 * repeatable. What follows from the import is left to {@link finishImports}.
 *
 * One process at a time imports it. Another one waits, and then goes on where that one ended; without `resume` it
 * begins anew after one that it never saw at work. So does a process that was silent for so long that it was taken
 * for dead: it waits for the one that took over, and goes on after it. Null when it was stopped meanwhile.
 */
export async function importDataSet(
  options: ImportOptions,
  kind: DataSetKind,
  archive: DataSetArchive,
): Promise<ImportSummary | null> {
  const { db, isStopped, onWait, timing } = options;
  let summary: ImportSummary | null = null;
  const task = {
    id: `import|${archive.name}`,
    isOver: async () => isStopped(),
    work: async (beat: Beat, predecessor: Predecessor) => {
      const resume = options.resume || predecessor === 'alive';
      summary = await importAlone({ ...options, resume }, kind, { archive, beat });
    },
    onWait: () => onWait?.(archive.name),
  };
  await underLock(db, task, timing);
  return summary;
}

type Opened = { readonly archive: DataSetArchive; readonly beat: Beat };

async function importAlone(
  options: ImportOptions,
  kind: DataSetKind,
  { archive, beat }: Opened,
): Promise<ImportSummary> {
  const { db, now, resume } = options;
  const started = performance.now();
  const key = { name: archive.name, digest: archive.digest };
  const begun = await beginDataSet(db, key, { at: now().toISOString(), resume });
  const dataSet = await readDataSet(archive, DATA_SETS[kind]);
  const done = new Set((await doneUnits(db, key.name)).map((unit) => `${unit.stage}|${unit.number}`));
  const run: Run = { ...options, kind, key, dataSet, done, beat, total: archive.tables };
  const complete =
    begun.state !== 'importing' ||
    ((await runAll(run, filingUnits(run))) && (await runAll(run, reportUnits(run))));
  const seconds = (performance.now() - started) / 1_000;
  await beat();
  const to = complete && begun.state === 'importing' ? 'stored' : begun.state;
  await setDataSetState(db, key.name, { from: begun.state, to }, seconds);
  return summaryOf(run, { complete, seconds: begun.seconds + seconds });
}

/**
 * Invalidates what follows from the data sets that are stored, all of them at once or only those named, and
 * reconciles the trades of their issuers.
 */
export async function finishImports(options: Finishing, names?: readonly string[]): Promise<void> {
  const { db } = options;
  const all = await dataSetsInState(db, 'stored');
  const stored = names === undefined ? all : all.filter(({ _id }) => names.includes(_id));
  if (stored.length === 0) return;
  const units = await Promise.all(stored.map(({ _id }) => doneUnits(db, _id)));
  const followers = units.flat().map(({ result }) => result.followers);
  if (!(await refreshHeld(options, managersOf(followers)))) return;
  await invalidateImported(db, followers);
  for (const { _id } of stored) await setDataSetState(db, _id, { from: 'stored', to: 'done' }, 0);
  await reconcileImported(options, [...new Set(followers.flatMap(({ issuers }) => issuers))]);
}

type Finishing = Pick<ImportOptions, 'db' | 'pool' | 'isStopped' | 'onProgress'>;

function managersOf(followers: readonly Followers[]): Cik[] {
  const reports = followers.flatMap((one) => one.reports.map(([id]) => id));
  return [...new Set(reports.map((id) => reportKeyOf(id).cik))].sort();
}

/**
 * Writes what managers hold by their last tables on all threads, once for all data sets: of twelve years only
 * the last quarter is left. False when it was stopped before the end; the data sets stay to be finished.
 */
function refreshHeld(options: Finishing, managers: readonly Cik[]): Promise<boolean> {
  const task = { dataSet: 'managers', stage: 'managers', size: MANAGERS_AT_A_TIME } as const;
  return onAllThreads(options, managers, { ...task, run: options.pool.refreshHeld });
}

/**
 * Reconciles the trades of issuers on all threads, once for all data sets: it reads every form of an issuer.
 * They are pending in MongoDB, so a worker does what a stop leaves.
 */
async function reconcileImported(options: Finishing, issuers: readonly Cik[]): Promise<void> {
  const task = { dataSet: 'trades', stage: 'issuers', size: ISSUERS_AT_A_TIME } as const;
  await onAllThreads(options, issuers, { ...task, run: options.pool.reconcile });
}

type Task = Pick<Progress, 'dataSet' | 'stage'> & {
  /** How many a thread takes at a time. */
  readonly size: number;
  readonly run: (ciks: readonly Cik[]) => Promise<void>;
};

/** False when it was stopped before the last of them. */
async function onAllThreads(
  { pool, isStopped, onProgress }: Finishing,
  ciks: readonly Cik[],
  { dataSet, stage, size, run }: Task,
): Promise<boolean> {
  let done = 0;
  await inParallel([...batches(ciks, size)], pool.threads, async (batch) => {
    if (isStopped()) return;
    await run(batch);
    done += batch.length;
    onProgress({ dataSet, stage, share: done / ciks.length, rows: done });
  });
  return done === ciks.length;
}

type Run = ImportOptions &
  Imported & {
    /** `<stage>|<number>` */
    readonly done: ReadonlySet<string>;
    /** Before each unit. */
    readonly beat: Beat;
  };

/** False when it was stopped before the last unit. A unit that fails lets the others end first. */
async function runAll(run: Run, units: AsyncIterable<Planned> | Iterable<Planned>): Promise<boolean> {
  const running = new Set<Promise<void>>();
  const noteShare = notingShare(run);
  let rows = 0;
  try {
    for await (const { unit, share, lines } of units) {
      if (run.isStopped()) return false;
      const { stage, number, name } = unit.key;
      if (run.done.has(`${stage}|${number}`)) continue;
      // One more than there are threads, so that none waits for the next.
      while (running.size > run.pool.threads) await Promise.race(running);
      await run.beat();
      const one = run.pool.run(unit, run.now().toISOString()).then(async () => {
        rows += lines;
        run.onProgress({ dataSet: name, stage, share, rows });
        await noteShare({ stage, share });
        running.delete(one);
      });
      running.add(one);
    }
    await Promise.all(running);
    return true;
  } finally {
    await Promise.allSettled(running);
  }
}

/** For `tidemark status`, now and then. */
function notingShare({ db, key, now }: Run) {
  let notedAt = 0;
  return async (progress: Pick<Progress, 'share'> & { readonly stage: UnitStage }): Promise<void> => {
    if (now().getTime() - notedAt < NOTED_EVERY_MS) return;
    notedAt = now().getTime();
    await noteDataSetProgress(db, key.name, { ...progress, at: now().toISOString() });
  };
}

async function summaryOf(
  run: Run,
  { complete, seconds }: Pick<ImportSummary, 'complete' | 'seconds'>,
): Promise<ImportSummary> {
  const results = (await doneUnits(run.db, run.key.name)).map(({ result }) => result);
  const sum = (of: (result: UnitResult) => number): number =>
    results.reduce((total, one) => total + Number(of(one)), 0);
  return {
    dataSet: run.key.name,
    complete,
    filings: sum(({ filings }) => filings),
    rows: sum(({ rows }) => rows),
    known: sum(({ known }) => known),
    computed: sum(({ computed }) => computed),
    failures: results.flatMap(({ failures }) => failures),
    strays: run.dataSet.strays,
    seconds,
  };
}
