import type { Db } from 'mongodb';
import type { Cik } from '../../domain/ids.ts';
import { insertNew, UNJOURNALED } from '../mongo/write.ts';
import { type Begun, beginRun } from './run.ts';
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
