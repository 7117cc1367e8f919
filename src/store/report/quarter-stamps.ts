import type { Db } from 'mongodb';
import type { QuarterEnd } from '../../domain/ids.ts';
import { knownStamps, raiseStamps } from '../invalidation/stamps.ts';

/**
 * Who writes reports of these quarters calls it after the write, and who invalidates what follows from them, before
 * that: so what is computed because of an invalidation finds a stamp that is as new as the reports.
 */
export async function raiseQuarterStamps(db: Db, quarters: readonly QuarterEnd[]): Promise<void> {
  await raiseStamps(db, 'leaderboard', quarters);
}

/** What changes whenever a report of a quarter is saved; of quarters with any. Read it before the reports. */
export async function quarterStamps(
  db: Db,
  quarters: readonly QuarterEnd[],
): Promise<Map<QuarterEnd, string>> {
  return (await knownStamps(db, 'leaderboard', quarters)) as Map<QuarterEnd, string>;
}
