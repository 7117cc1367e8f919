import type { Db } from 'mongodb';
import type { Cik } from '../../domain/ids.ts';
import { insertNew, UNJOURNALED } from '../mongo/write.ts';
import { beginRun, endRun } from './run.ts';
import { contentDigest, NO_CONTENT, type TradeContent, type TradeDoc, tradesIn } from './trades.ts';

/**
 * Replaces the issuer's rows by those of this version; nothing happens when a later one has begun. Only
 * rows that differ are written. Rows that are not among `contents` are emptied, not removed: a row under
 * a later version refuses a late write of an earlier one. Where an earlier run has not ended, every row
 * first gets the version of this one, so that the other run cannot write it any more. Rows are not
 * journaled by themselves: the invalidation is cleared after them, so what a crash loses is computed again.
 */
export async function saveTrades(db: Db, issuerCik: Cik, { contents, version }: Contents): Promise<void> {
  const begun = await beginRun(db, issuerCik, version);
  if (begun === null) return;
  if (begun.before.length > 0) {
    await tradesIn(db).updateMany(
      { issuerCik, version: { $lt: version } },
      { $set: { version } },
      { writeConcern: UNJOURNALED },
    );
  }
  await writeChanged(db, issuerCik, { contents, version });
  await endRun(db, issuerCik, begun);
}

type Contents = { readonly contents: ReadonlyMap<string, TradeContent>; readonly version: number };

async function writeChanged(db: Db, issuerCik: Cik, { contents, version }: Contents): Promise<void> {
  const rows = await tradesIn(db)
    .find({ issuerCik }, { projection: { digest: 1 } })
    .toArray();
  const known = new Map(rows.map((row) => [row._id, row.digest]));
  const wanted = new Map(contents);
  for (const id of known.keys()) if (!wanted.has(id)) wanted.set(id, NO_CONTENT);
  const docs = [...wanted].map(([_id, content]) => ({
    _id,
    issuerCik,
    version,
    digest: contentDigest(content),
    ...content,
  }));
  const fresh = docs.filter((doc) => !known.has(doc._id));
  const inserted = new Set(await insertNew(tradesIn(db), fresh));
  const raced = fresh.filter((_, place) => !inserted.has(place));
  const changed = docs.filter((doc) => known.has(doc._id) && known.get(doc._id) !== doc.digest);
  await replace(db, [...raced, ...changed]);
}

async function replace(db: Db, docs: readonly TradeDoc[]): Promise<void> {
  if (docs.length === 0) return;
  await tradesIn(db).bulkWrite(
    docs.map(({ _id, ...fields }) => ({
      updateOne: { filter: { _id, version: { $lte: fields.version } }, update: { $set: fields } },
    })),
    { ordered: false, writeConcern: UNJOURNALED },
  );
}
