import type { Db } from 'mongodb';
import { invalidate } from '../invalidation/invalidate.ts';
import type { Beat } from '../mongo/lock.ts';
import { reportsIn } from '../report/reports.ts';

const BATCH = 1_000;

/**
 * Version 4 to 5: a report as filed has the managers that it names, which peers ask for. So every report is
 * compared again.
 */
export async function migrateFrom4(db: Db, beat: Beat): Promise<void> {
  let batch: string[] = [];
  const write = async (): Promise<void> => {
    await beat();
    await invalidate(db, 'report', batch);
    batch = [];
  };
  for await (const { _id } of reportsIn(db).find({}, { projection: { _id: 1 } })) {
    batch.push(_id);
    if (batch.length === BATCH) await write();
  }
  await write();
}
