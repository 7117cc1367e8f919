import type { Db } from 'mongodb';
import { indexGaps } from '../../domain/filing/index-coverage.ts';
import type { IsoDate } from '../../domain/ids.ts';
import { indexAlarms } from '../../store/filing/alarms.ts';
import { backfillState, knownIndexDays, withdrawnFilings } from '../../store/filing/index-days.ts';
import { publishedAsOf } from '../../store/filing/settings.ts';
import { coverageOn } from './corpus.ts';

export type IndexStatus = Awaited<ReturnType<typeof indexStatus>>;

/** What the daily indexes say of completeness, and what holds the watermark (rule 10.5). */
export async function indexStatus(db: Db) {
  const backfill = await backfillState(db);
  const known = (await knownIndexDays(db)).map((day) => day._id);
  const raised = await indexAlarms(db);
  const explained = new Set<IsoDate>([
    ...raised.map(({ _id }) => _id),
    ...(backfill?.left ?? []),
    ...(backfill?.held ?? []),
  ]);
  const asOf = await publishedAsOf(db);
  const gaps = indexGaps(known, backfill?.from).filter((day) => !explained.has(day));
  return {
    indexed_through: asOf === null ? null : (await coverageOn(db, asOf)).through,
    /** Filings that the index of their day no longer lists. They stay in every figure. */
    withdrawn: await withdrawnFilings(db),
    /** Days whose index failed or is not believed, and business days that were skipped. */
    index_alarms: [
      ...raised.map(({ _id, reason, message, since, reads }) => ({
        ...{ day: _id, reason, message, since },
        reads: Number(reads),
      })),
      ...gaps.map((day) => ({
        ...{ day, reason: 'not_read', message: `no index of ${day} was read, but later ones were` },
        ...{ since: null, reads: 0 },
      })),
    ],
  };
}
