import type { Db } from 'mongodb';
import type { Cik } from '../../domain/ids.ts';
import { insertNew, UNJOURNALED } from '../mongo/write.ts';
import { contentDigest, NO_CONTENT, type TradeContent, type TradeDoc, tradesIn } from './trades.ts';

/**
 * Replaces the issuer's rows by those of this version. Rows that are not among `contents` are emptied,
 * not removed: a row under a later version refuses a late write of an earlier one. So the version is
 * raised first, then rows are compared, then what differs is written. Not journaled by itself: the
 * invalidation is cleared after it, so what a crash loses is computed again.
 */
export async function saveTrades(
  db: Db,
  issuerCik: Cik,
  { contents, version }: { contents: ReadonlyMap<string, TradeContent>; version: number },
): Promise<void> {
  await tradesIn(db).updateMany(
    { issuerCik, version: { $lt: version } },
    { $set: { version } },
    { writeConcern: UNJOURNALED },
  );
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
