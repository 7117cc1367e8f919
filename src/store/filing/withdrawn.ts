import type { Db } from 'mongodb';
import type { Accession, IsoDate } from '../../domain/ids.ts';
import { findByIds, inLists } from '../mongo/lists.ts';
import { filingsIn } from './filings.ts';

/** What the index of a day says of the stored filings. */
type ListedDay = { readonly day: IsoDate; readonly listed: ReadonlySet<Accession>; readonly at: string };

/**
 * Notes which day's index lists the stored filings. What is listed is not withdrawn, even if it was
 * listed under another day before.
 */
export async function noteListed(db: Db, indexDay: IsoDate, listed: ReadonlySet<Accession>): Promise<void> {
  const stored = await findByIds(filingsIn(db), listed, { indexDay: 1, withdrawnAt: 1 });
  const changed = stored.filter((filing) => filing.indexDay !== indexDay || filing.withdrawnAt !== undefined);
  for (const _id of inLists(changed.map((filing) => filing._id))) {
    await filingsIn(db).updateMany({ _id }, { $set: { indexDay }, $unset: { withdrawnAt: 1 } });
  }
}

/**
 * Flags the filings that the index of the day listed and lists no longer. A filing that only the feed
 * has named is not flagged: its index may still come. Returns how many are flagged now.
 */
export async function flagWithdrawn(db: Db, { day, listed, at }: ListedDay): Promise<number> {
  const stored = await filingsIn(db)
    .find({ indexDay: day }, { projection: { withdrawnAt: 1 } })
    .toArray();
  const gone = stored.filter(({ _id }) => !listed.has(_id));
  const fresh = gone.filter(({ withdrawnAt }) => withdrawnAt === undefined);
  for (const _id of inLists(fresh.map((filing) => filing._id))) {
    await filingsIn(db).updateMany({ _id }, { $set: { withdrawnAt: at } });
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
