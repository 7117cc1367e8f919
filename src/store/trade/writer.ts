import { randomUUID } from 'node:crypto';
import type { Db } from 'mongodb';
import type { Cik } from '../../domain/ids.ts';
import { insertNew, isDuplicate, JOURNALED, UNJOURNALED } from '../mongo/write.ts';
import { contentDigest, type KnownRow, type TradeContent, type TradeDoc, tradesIn } from './trades.ts';

/**
 * Begins a run that writes rows of the issuer; null when a later version has begun. Where an earlier run has not
 * ended, every row first gets the version of this one, so that the other run cannot write it any more: what is
 * stored must be read after that. The caller ends the run.
 */
export async function beginRows(db: Db, issuerCik: Cik, version: number): Promise<Begun | null> {
  const begun = await beginRun(db, issuerCik, version);
  if (begun !== null && begun.before.length > 0) {
    await tradesIn(db).updateMany(
      { issuerCik, version: { $lt: version } },
      { $set: { version } },
      { writeConcern: UNJOURNALED },
    );
  }
  return begun;
}

type Rows = {
  /** What rows say now, by id. */
  readonly contents: ReadonlyMap<string, TradeContent>;
  /** Those of them that are stored, by id. */
  readonly known: ReadonlyMap<string, KnownRow>;
  readonly version: number;
};

/**
 * Writes the rows that differ from what is stored. Rows are emptied, not removed: a row under a later version
 * refuses a late write of an earlier one. Rows that leave a day come last, because until then they tell the
 * repetition of a run that died which days it has to look at. Rows are not journaled by themselves: the
 * invalidation is cleared after them, so what a crash loses is computed again.
 */
export async function saveRows(db: Db, issuerCik: Cik, { contents, known, version }: Rows): Promise<void> {
  const docs = [...contents].map(([_id, content]) => ({
    _id,
    issuerCik,
    version,
    digest: contentDigest(content),
    ...content,
  }));
  const fresh = docs.filter((doc) => !known.has(doc._id));
  const inserted = new Set(await insertNew(tradesIn(db), fresh));
  const raced = fresh.filter((_, place) => !inserted.has(place));
  const isChanged = ({ _id, digest }: TradeDoc): boolean =>
    known.has(_id) && known.get(_id)?.digest !== digest;
  const leaves = ({ _id, near }: TradeDoc): boolean =>
    known.get(_id)?.near?.some((key) => !near.includes(key)) ?? false;
  const changed = docs.filter(isChanged);
  await replace(db, [...raced, ...changed.filter((doc) => !leaves(doc))]);
  await replace(db, changed.filter(leaves));
}

async function replace(db: Db, docs: readonly TradeDoc[]): Promise<void> {
  if (docs.length === 0) return;
  await tradesIn(db).bulkWrite(
    docs.map(({ _id, ...fields }) => {
      const { issuerCik, version } = fields;
      // Versions of two issuers do not compare: a form that names another one takes its rows over, and no run empties those.
      const own = { issuerCik, version: { $lte: version } };
      const filter = { _id, $or: fields.item === null ? [own] : [own, { issuerCik: { $ne: issuerCik } }] };
      return { updateOne: { filter, update: { $set: fields } } };
    }),
    { ordered: false, writeConcern: UNJOURNALED },
  );
}

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

type Begun = {
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
