import type { Db } from 'mongodb';
import type { Accession, IsoDate } from '../../domain/ids.ts';
import { filingsIn } from './filings.ts';

/** What the index of a day says of the stored filings of that day. */
type ListedDay = { readonly day: IsoDate; readonly listed: ReadonlySet<Accession>; readonly at: string };

/**
 * Flags the stored filings of a day that its index no longer lists, and removes the flag of those that
 * it lists again. Returns how many are flagged now.
 */
export async function flagWithdrawn(db: Db, { day, listed, at }: ListedDay): Promise<number> {
  const stored = await filingsIn(db)
    .find({ filedDate: day }, { projection: { withdrawnAt: 1 } })
    .toArray();
  const gone = stored.filter(({ _id }) => !listed.has(_id));
  for (const { _id, withdrawnAt } of gone) {
    if (withdrawnAt === undefined) await filingsIn(db).updateOne({ _id }, { $set: { withdrawnAt: at } });
  }
  for (const { _id, withdrawnAt } of stored) {
    const isBack = withdrawnAt !== undefined && listed.has(_id);
    if (isBack) await filingsIn(db).updateOne({ _id }, { $unset: { withdrawnAt: 1 } });
  }
  return gone.length;
}

/** Flagged filings, ascending by accession number. */
export async function withdrawnFilings(db: Db): Promise<Accession[]> {
  const found = await filingsIn(db)
    .find({ withdrawnAt: { $gt: '' } }, { projection: { _id: 1 } })
    .toArray();
  return found.map(({ _id }) => _id).sort();
}
