import type { Db } from 'mongodb';
import type { Cik } from '../../domain/ids.ts';
import { insertNew, UNJOURNALED } from '../mongo/write.ts';
import { type Begun, beginRuns } from './run.ts';
import { contentDigest, type KnownRow, type TradeContent, type TradeDoc, tradesIn } from './trades.ts';

/**
 * Begins runs that write rows of the issuers; those of which a later version has begun are left out. Where an earlier
 * run has not ended, every row first gets the version of the new one, so that the other run cannot write it any more:
 * what is stored must be read after that. The caller ends the runs.
 */
export async function beginRows(db: Db, versions: ReadonlyMap<Cik, number>): Promise<Map<Cik, Begun>> {
  const begun = await beginRuns(db, versions);
  for (const [issuerCik, { run, before }] of begun) {
    if (before.length === 0) continue;
    const { version } = run;
    await tradesIn(db).updateMany(
      { issuerCik, version: { $lt: version } },
      { $set: { version } },
      { writeConcern: UNJOURNALED },
    );
  }
  return begun;
}

type IssuerRows = {
  readonly issuerCik: Cik;
  /** What rows say now, by id. */
  readonly contents: ReadonlyMap<string, TradeContent>;
  /** Those of them that are stored, by id. */
  readonly known: ReadonlyMap<string, KnownRow>;
  readonly version: number;
};

/** A row as it is to be stored, and what is known of it. */
type Row = { readonly doc: TradeDoc; readonly known: KnownRow | undefined };

/**
 * Writes the rows of issuers that differ from what is stored. Rows are emptied, not removed: a row under a later version
 * refuses a late write of an earlier one. Rows that leave a day come last, because until then they tell the
 * repetition of a run that died which days it has to look at. Rows are not journaled by themselves: the
 * invalidation is cleared after them, so what a crash loses is computed again.
 */
export async function saveRows(db: Db, issuers: readonly IssuerRows[]): Promise<void> {
  const rows = issuers.flatMap(rowsToStore);
  const fresh = rows.filter(({ known }) => known === undefined).map(({ doc }) => doc);
  const inserted = new Set(await insertNew(tradesIn(db), fresh));
  const raced = fresh.filter((_, place) => !inserted.has(place));
  const changed = rows.filter(({ doc, known }) => known !== undefined && known.digest !== doc.digest);
  const stay = changed.filter((row) => !leavesDay(row)).map(({ doc }) => doc);
  await replace(db, [...raced, ...stay]);
  await replace(
    db,
    changed.filter(leavesDay).map(({ doc }) => doc),
  );
}

function rowsToStore({ issuerCik, contents, known, version }: IssuerRows): Row[] {
  return [...contents].map(([_id, content]) => ({
    doc: { _id, issuerCik, version, digest: contentDigest(content), ...content },
    known: known.get(_id),
  }));
}

function leavesDay({ doc, known }: Row): boolean {
  return known?.near?.some((key) => !doc.near.includes(key)) ?? false;
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
