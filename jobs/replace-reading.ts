import type { Db } from 'mongodb';
import { type FilingDoc, filingsIn } from '../src/store/filing/filings.ts';
import { dropRows } from '../src/store/filing/rows.ts';

/**
 * Replaces what was read of a parsed filing in one write, which also marks what follows from it; what a
 * data set said of it gives way to the document. False when a worker or another run has taken the filing
 * since it was read.
 */
export async function replaceReading(
  db: Db,
  filing: FilingDoc,
  fields: Partial<FilingDoc>,
): Promise<boolean> {
  const { _id, fence, state, cik, filedDate, issuerCik, content, rows } = filing;
  const former = content === null ? {} : { former: { cik, filedDate, issuerCik, content } };
  const { matchedCount } = await filingsIn(db).updateOne(
    { _id, fence, state },
    {
      $set: { ...fields, ...former },
      $unset: { dataSet: '', documentWanted: '', missingSince: '', suspectedAt: '' },
      $inc: { fence: 1 },
    },
  );
  if (matchedCount === 0) return false;
  const isElsewhere = rows !== null && rows.source !== fields.rows?.source;
  if (isElsewhere) await dropRows(db, _id, rows);
  return true;
}
