import type { Db } from 'mongodb';
import { filingsIn } from '../filing/filings.ts';
import { invalidate } from '../invalidation/invalidate.ts';

/**
 * Version 7 to 8: rows of trades say by which days they are compared, and an amendment is compared with the rows of
 * its day alone. So those of every issuer are written again.
 */
export async function migrateFrom7(db: Db): Promise<void> {
  const issuers = await filingsIn(db).distinct('issuerCik', { issuerCik: { $ne: null } });
  await invalidate(
    db,
    'insider',
    issuers.filter((cik) => cik !== null),
  );
}
