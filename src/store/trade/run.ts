import { randomUUID } from 'node:crypto';
import type { Db } from 'mongodb';
import type { Cik } from '../../domain/ids.ts';
import { findByIds } from '../mongo/lists.ts';
import { JOURNALED, placesOfDuplicates } from '../mongo/write.ts';

/**
 * The runs that write an issuer's rows. Their version stands here and not in each row, so that a run
 * writes no row that did not change.
 */
type TradeRunsDoc = {
  _id: Cik;
  /** The latest version that began to write. */
  version: number;
  /** Runs that began and have not ended: a dead or slow one may still write rows. */
  open: OpenRun[];
};

/** Two runs may have one version: a stalled job is given to another worker. So each has an id. */
type OpenRun = { readonly id: string; readonly version: number };

export const tradeRunsIn = (db: Db) => db.collection<TradeRunsDoc>('trade_runs');

export type Begun = {
  readonly run: OpenRun;
  /** Runs that have not ended: every row must get the version of this one before it is compared. */
  readonly before: readonly OpenRun[];
};

/** Begins a run of each version's issuer. Issuers of which a later version has begun are left out. */
export async function beginRuns(db: Db, versions: ReadonlyMap<Cik, number>): Promise<Map<Cik, Begun>> {
  const id = randomUUID();
  const issuers = [...versions].map(([cik, version]) => ({ cik, run: { id, version } }));
  try {
    await begin(db, issuers, true);
  } catch (error) {
    // Now their ids are taken, by a later version or by one that began at the same moment.
    const taken = new Set(placesOfDuplicates(error));
    await begin(
      db,
      issuers.filter((_, place) => taken.has(place)),
      false,
    );
  }
  // A run that ended between the two commands writes no more. One that began there is none that this one ends.
  const docs = await findByIds(tradeRunsIn(db), versions.keys());
  return new Map(
    docs.flatMap(({ _id, open }) => {
      const run = open.find((one) => one.id === id);
      const before = open.filter((one) => one.id !== id);
      return run === undefined ? [] : [[_id, { run, before }] as const];
    }),
  );
}

type Issuer = { readonly cik: Cik; readonly run: OpenRun };

async function begin(db: Db, issuers: readonly Issuer[], upsert: boolean): Promise<void> {
  await tradeRunsIn(db).bulkWrite(
    issuers.map(({ cik: _id, run }) => {
      const filter = { _id, version: { $lte: run.version } };
      return {
        updateOne: { filter, update: { $set: { version: run.version }, $push: { open: run } }, upsert },
      };
    }),
    { ordered: false, writeConcern: JOURNALED },
  );
}

/**
 * Ends the runs and those of earlier versions, whose late writes they have refused: these began before.
 * Another run of the same version stays open: only a later version refuses it.
 */
export async function endRuns(db: Db, begun: ReadonlyMap<Cik, Begun>): Promise<void> {
  if (begun.size === 0) return;
  await tradeRunsIn(db).bulkWrite(
    [...begun].map(([_id, { run, before }]) => {
      const ended = [run, ...before.filter(({ version }) => version < run.version)];
      return { updateOne: { filter: { _id }, update: { $pullAll: { open: ended } } } };
    }),
    { ordered: false },
  );
}
