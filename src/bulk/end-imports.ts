import type { Db } from 'mongodb';
import { LAST_LANE } from '../domain/filing/lane.ts';
import type { IsoDate } from '../domain/ids.ts';
import { dataSetsIn, noteDone } from '../store/filing/data-sets.ts';
import { invalidationsIn } from '../store/invalidation/invalidation.ts';
import { firstDayOfBriefs, isRecent } from './recent.ts';

/** So few reports, or issuers, that wait do not hold up the end of an import. */
const FEW = 64;

/**
 * Ends the imports of which all that follows was computed, or tried in vain, since they were stored (rule 13.7); one
 * that no brief of the day rests on ends at once.
 */
export async function endImports(db: Db, asOf: IsoDate, now: Date): Promise<void> {
  for (const { _id: name, storedAt = now } of await dataSetsIn(db, 'stored')) {
    const isOpen = isRecent(name, asOf) && (await manyWait(db, storedAt, asOf));
    if (!isOpen) await noteDone(db, name, now.toISOString());
  }
}

/** Many reports that briefs rest on, however many older ones there are, or many issuers. What fails goes to the back. */
async function manyWait(db: Db, since: Date, asOf: IsoDate): Promise<boolean> {
  const quarterEnd = { $arrayElemAt: [{ $split: ['$key', '|'] }, 1] };
  const reports = { kind: 'report', $expr: { $gte: [quarterEnd, firstDayOfBriefs(asOf)] } } as const;
  const options = { projection: { _id: 1 }, limit: FEW + 1 } as const;
  for (const kind of [reports, { kind: 'insider' } as const]) {
    const where = { ...kind, pending: true, lane: LAST_LANE, at: { $lte: since } };
    if ((await invalidationsIn(db).find(where, options).toArray()).length > FEW) return true;
  }
  return false;
}
