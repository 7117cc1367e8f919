import type { Db } from 'mongodb';
import { LAST_LANE } from '../../domain/filing/lane.ts';
import { filingsIn } from '../filing/filings.ts';
import { invalidate, invalidationsIn } from '../invalidation/invalidations.ts';
import { briefsIn } from '../publish/kept-briefs.ts';
import { migrateEvidence } from './evidence-from-3.ts';
import type { Beat } from './lock.ts';

/**
 * Version 3 to 4: invalidations have a lane; what was pending before has no known one. Trades have a kind, so
 * those of every issuer are written again. The evidence of stored briefs is in pages, and
 * all are kept, because nobody knows which ones a reader got.
 */
export async function migrateFrom3(db: Db, beat: Beat): Promise<void> {
  await invalidationsIn(db).updateMany({ lane: { $exists: false } }, { $set: { lane: LAST_LANE } });
  const issuers = await filingsIn(db).distinct('issuerCik', { issuerCik: { $ne: null } });
  await invalidate(
    db,
    'insider',
    issuers.filter((cik) => cik !== null),
  );
  await briefsIn(db).updateMany(
    { kept: { $exists: false } },
    { $set: { kept: true }, $unset: { expiresAt: '' } },
  );
  await migrateEvidence(db, beat);
}
