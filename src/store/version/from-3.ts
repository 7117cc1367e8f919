import type { Db } from 'mongodb';
import { LAST_LANE } from '../../domain/filing/lane.ts';
import { invalidationsIn } from '../invalidation/invalidations.ts';

/** Version 3 to 4: invalidations have a lane. What was pending before has no known one. */
export async function migrateFrom3(db: Db): Promise<void> {
  await invalidationsIn(db).updateMany({ lane: { $exists: false } }, { $set: { lane: LAST_LANE } });
}
