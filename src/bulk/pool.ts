import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { Cik } from '../domain/ids.ts';
import type { UnitResult } from '../store/filing/data-sets.ts';
import type { ThreadData, UnitTask } from './thread.ts';
import type { Unit } from './unit.ts';

/** Old-generation heap of a thread: a unit with the largest report of EDGAR takes a tenth of it. */
const HEAP_MB = 1_024;
/**
 * New-generation heap: three times the usual one. Rows live for as long as their reports are computed together, and what a
 * collection finds alive it copies.
 */
const NEW_MB = 144;

export type UnitPool = {
  readonly threads: number;
  readonly run: (unit: Unit, at: string) => Promise<UnitResult>;
  /** Reconciles the trades of issuers. */
  readonly reconcile: (issuers: readonly Cik[]) => Promise<void>;
  /** Writes what managers hold by their last tables. */
  readonly refreshHeld: (ciks: readonly Cik[]) => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * An import has 2 GB. At full size two threads took 1,248 MB with the process that they are in (docs/benchmarks.md), so
 * each further one may take half of that: three stay below, four may not.
 */
const MAX_THREADS = 3;

export function unitThreads(cores: number): number {
  return Math.min(cores, MAX_THREADS);
}

/** A thread for each core, as far as the memory goes, each with its own connection to MongoDB. */
export function openUnitPool(
  workerData: ThreadData,
  threads = unitThreads(availableParallelism()),
): UnitPool {
  const pool = new Piscina<UnitTask | readonly Cik[], UnitResult>({
    filename: new URL('./thread-start.mjs', import.meta.url).href,
    name: 'runUnit',
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 60_000,
    workerData,
    // A thread that slept between tasks could not answer MongoDB's heartbeats.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: NEW_MB },
  });
  pool.on('error', () => undefined);
  return {
    threads,
    run: (unit, at) => pool.run({ unit, at }),
    reconcile: async (issuers) => {
      await pool.run(issuers, { name: 'reconcile' });
    },
    refreshHeld: async (ciks) => {
      await pool.run(ciks, { name: 'refreshHeld' });
    },
    close: () => pool.destroy(),
  };
}
