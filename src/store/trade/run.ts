import { randomUUID } from 'node:crypto';
import type { Db } from 'mongodb';
import type { Cik } from '../../domain/ids.ts';
import { isDuplicate, JOURNALED } from '../mongo/write.ts';

/**
 * What is kept of an issuer besides the rows of its trades. The version of the runs that write them stands here and not
 * in each row, so that a run writes no row that did not change.
 */
type TradeIssuerDoc = {
  _id: Cik;
  /** The latest version that began to write. */
  version: number;
  /** Runs that began and have not ended: a dead or slow one may still write rows. */
  open: OpenRun[];
  /** See `lines.ts`; absent until a run writes them. */
  lines?: TradeLine[];
};

/** A title and a symbol under which trades are reported. */
export type TradeLine = { readonly line: string; readonly title: string; readonly symbol: string };

/** Two runs may have one version: a stalled job is given to another worker. So each has an id. */
type OpenRun = { readonly id: string; readonly version: number };

export const tradeIssuersIn = (db: Db) => db.collection<TradeIssuerDoc>('trade_issuers');

export type Begun = {
  readonly run: OpenRun;
  /** Runs that have not ended: every row must get the version of this one before it is compared. */
  readonly before: readonly OpenRun[];
};

/** Begins a run; null when a later version has begun. */
export async function beginRun(db: Db, issuerCik: Cik, version: number): Promise<Begun | null> {
  const run = { id: randomUUID(), version };
  try {
    return await begin(db, issuerCik, run, true);
  } catch (error) {
    // Now the id is taken, by a later version or by a run that began at the same moment.
    if (isDuplicate(error)) return begin(db, issuerCik, run, false);
    throw error;
  }
}

async function begin(db: Db, _id: Cik, run: OpenRun, upsert: boolean): Promise<Begun | null> {
  const before = await tradeIssuersIn(db).findOneAndUpdate(
    { _id, version: { $lte: run.version } },
    { $set: { version: run.version }, $push: { open: run } },
    { upsert, returnDocument: 'before', writeConcern: JOURNALED },
  );
  if (before === null) return upsert ? { run, before: [] } : null;
  return { run, before: before.open };
}

/**
 * Ends the run and those of earlier versions, whose late writes it has refused: they began before it.
 * Another run of this version stays open: only a later version refuses it.
 */
export async function endRun(db: Db, issuerCik: Cik, { run, before }: Begun): Promise<void> {
  const ended = [run, ...before.filter(({ version }) => version < run.version)];
  await tradeIssuersIn(db).updateOne({ _id: issuerCik }, { $pullAll: { open: ended } });
}
