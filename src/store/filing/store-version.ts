import type { Db } from 'mongodb';
import { UsageError } from '../../errors.ts';
import { filingsIn } from './filings.ts';

/**
 * Throws when the database holds filings in the shape of a version before 0.2: this version would leave
 * them out of every answer. Nothing is written. A database without filings is fine, accounts included.
 */
export async function requireCurrentStore(db: Db): Promise<void> {
  // One document tells: a version writes all of them, and `leg` is null or a name in this one.
  const any = await filingsIn(db).findOne({}, { projection: { leg: 1 } });
  if (any === null || 'leg' in any) return;
  throw new UsageError(
    `The database ${db.databaseName} was written by an earlier version of Tidemark, and this version cannot read it. ` +
      'Nothing was changed. Set TIDEMARK_HOME (or MONGO_DB) to a new place and ingest again, or run the earlier version.',
  );
}
